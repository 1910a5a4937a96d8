"""Tags Chinese: the dictionary outvotes a tagger that learnt from few sentences."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import rjieba

from feedback.analysis.chinese_dictionary import NAMING, OWN, has, tag
from feedback.analysis.tags import NOUNS

if TYPE_CHECKING:
    from feedback.analysis.form import Form

_OPENING = frozenset({"", "PUNCT", "PART", "ADJ", "SCONJ", "CCONJ", "VERB"})
"""What may stand before a deed that is spoken of as a thing."""
_WHILE = frozenset({"时", "后", "之后", "期间", "当天", "当晚"})
_SPOKEN_OF = frozenset(
    {
        "出行",
        "打车",
        "购物",
        "用餐",
        "就餐",
        "使用",
        "打电话",
        "乘车",
        "坐车",
        "换乘",
        "开车",
        "驾驶",
        "办理",
        "上车",
        "住宿",
    }
)
"""What customers do that is good or bad in itself: "出行方便"."""
_SHADING = frozenset({"ADV", "SCONJ"})
_COURSES = frozenset({"起来", "下去", "下来", "上去", "出来", "过去", "回来", "回去"})
"""What ends so tells what it is like to do something, and is no thing itself."""
_PLACING = frozenset({"s", "f"})
"""The dictionary's codes of words that only say where: "墙上", "房间内", "周围"."""
_LED = frozenset("的把")
_DOING = frozenset({"VERB", "NUM", "ADP", "AUX", "ADV", "PRON"})
_NAME_ENDINGS = frozenset("性感度率力器")
"""What the dictionary lists as a turn of phrase is a quality all the same: "兼容性"."""
_OPEN = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "X", "INTJ", "NUM", "PART", "ADP"})
_VAGUE = frozenset({"VERB", "ADV", "PART", "ADP", "ADJ", "CCONJ"})
_FUNCTION = frozenset("不没得了着过的很太能会就都也还又最才越")
"""No name that the dictionary does not have holds one of these: what it guessed is a stretch of sentence."""
_ADJECTIVE, _VERB, _PHRASE, _MANNER = frozenset("A"), frozenset("V"), frozenset("P"), frozenset("R")
"""What a word may judge as, where that is the only thing."""
_DEED = frozenset({"VERB", "IDIOM", "?"})
_SURE = frozenset({"NOUN", "ADJ", "ADV", "CCONJ", "ADP"})


def settle(reading_tags: list[str], forms: "Sequence[Form]") -> list[str]:
    """The tags of a text where the dictionary outvotes a tagger that learnt from few Chinese sentences."""
    found = list(reading_tags)
    after = ""
    for n in range(len(found) - 1, -1, -1):
        form, given = forms[n], found[n]
        low = form.low
        if form.modifiers or not "\u3400" <= low[0] <= "\u9fff":
            if given == "X" or form.modifiers:
                found[n] = _foreign(given, form)
        elif (own := OWN.get(low)) is not None:
            found[n] = "NOUN" if low in _SPOKEN_OF and _is_spoken_of(found, n) else own
        elif n + 1 < len(found) and forms[n + 1].low in _WHILE and tag(low) == "VERB":
            # "入住时", "退房后" only tell when: no class of words that a term may be of.
            found[n] = "PART"
        elif given in _OPEN or form.opinions or form.noun or len(low) > 2:
            found[n] = _mended(given, form, forms[n - 1] if n else None, after)
        after = found[n]
    return found


def _is_spoken_of(tags: Sequence[str], n: int) -> bool:
    """Whether the deed at token `n` opens a statement on how it is: "出行还比较方便"."""
    if n and tags[n - 1] != "PUNCT":
        return False
    after = next((tag for tag in tags[n + 1 : n + 4] if tag not in _SHADING), "")
    return after == "ADJ"


def _mended(given: str, form: "Form", before: "Form | None", after: str) -> str:
    """The tag of a word that judges or names something, or may."""
    low, uses = form.low, form.uses
    hinted = tag(low)
    if before is not None and before.noun and form.noun and hinted == "VERB":
        # "护士打针很温柔": what somebody does is no part of who does it.
        return "VERB"
    if given in NOUNS and not uses and not form.noun and _tells_how(low, hinted):
        return "ADV"
    if not uses and hinted == "IDIOM" and len(low) > 2 and low[-1] in _NAME_ENDINGS:
        return "NOUN"
    led = before is not None and before.low in _LED
    if after in _DOING and not led and any(entry.pos == "R" and not entry.weight for entry in form.opinions):
        # "一般用三小时" tells how often, "味道一般" what it is like.
        return "ADV"
    return _settled(given, form, hinted, after, led=led)


def _foreign(given: str, form: "Form") -> str:
    """A word in Latin letters names a part or a maker ("USB接口", "SONY"); a degree or a conjunction names nothing."""
    if form.modifiers:
        hinted = tag(form.low) if form.low.isascii() or has(form.low) else "ADV"  # "实在太"
        return hinted if hinted in _SURE and given in NOUNS else given
    named = form.low.isascii() and form.low.isalnum() and len(form.low) > 2 and form.low[0].isalpha()
    return "NOUN" if named and given == "X" and not form.opinions else given


def _settled(given: str, form: "Form", hinted: str, after: str, *, led: bool) -> str:
    if form.uses:
        if form.uses == _MANNER and given in NOUNS:
            return "ADV"  # "竟然不"
        if form.uses == _ADJECTIVE and given in _OPEN:
            return "ADJ"
        if form.uses == _VERB and given in _OPEN and hinted in _DEED:
            return "VERB"
        return "ADJ" if form.uses == _PHRASE and given in NOUNS else given
    if form.noun and (given != "ADP" or led):
        # "包装完好", "安装很快": before what judges it, what may be a verb is a noun.
        keeps = given == "VERB" and hinted.startswith("VERB") and not led and after not in {"ADJ", "ADV"}
        return given if keeps else "NOUN"
    if given not in _OPEN:
        return given
    if hinted == "VERB" and given in NOUNS and not led:
        return "VERB"
    return hinted if hinted in _SURE and (hinted != "ADV" or given in NOUNS) else given


@lru_cache(maxsize=8192)
def is_deed(word: str, given: str, before: str, *, noun: bool) -> bool:
    """Whether a word tagged so says what somebody does, or how, and names nothing; `before` is the tag before it."""
    hinted = tag(word)
    if word in OWN:
        return OWN[word] != "NOUN" and not (given == "NOUN" and word in _SPOKEN_OF)
    if hinted in {"NUM", "TIME", "CL", "PRON"} or is_place(word):
        return True
    if len(word) > 1 and not _FUNCTION.isdisjoint(word) and not noun and not has(word):
        return True
    if hinted in NAMING:
        return False
    if given == "VERB":
        if word[-2:] in _COURSES and len(word) > 2:
            return True  # "键盘敲起来很爽" speaks of the keyboard.
        # "停车很难" speaks of parking, "司机停车很猛" of the driver.
        return hinted == "VERB" and not (len(word) > 1 and noun and before in _OPENING)
    return len(word) == 1 and hinted in _VAGUE


@lru_cache(maxsize=8192)
def is_place(word: str) -> bool:
    """Whether a word only says where something is, or is nothing but figures."""
    if word.isdigit():
        return True
    try:
        found = rjieba.tag(word)
    except UnicodeEncodeError:
        return False
    return len(found) == 1 and found[0][1] in _PLACING


def _tells_how(word: str, hinted: str) -> bool:
    """Whether a turn of phrase tells how something is or is done, not what: "翻来覆去", "适时地", but "售后服务"."""
    whole = len(word) == 4 and tag(word[2:]) not in NAMING and word[-1] not in _NAME_ENDINGS
    return hinted == "IDIOM" and (whole or word[-1] == "地")
