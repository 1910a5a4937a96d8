"""An analysis that some texts kill or hang, as a bug in a native library would; run in real analysis processes."""

import os
import time

from feedback.analysis import Profile
from feedback.processing.analysing import Texts, analyse_texts

KILLS = "this text ends its process"
HANGS = "this text never ends"
SLOW = "this text takes a while"


def analyse_poison(texts: Texts, profile: Profile) -> bytes:
    for text, *_ in texts:
        if text == KILLS:
            os._exit(9)
        if text == HANGS:
            time.sleep(3600)
        if text == SLOW:
            time.sleep(2.5)
    return analyse_texts(texts, profile)
