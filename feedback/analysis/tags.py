"""Parts of speech that answer one question together: what names something, and what tells what happens."""

NOUNS = frozenset({"NOUN", "PROPN"})
VERBS = frozenset({"VERB", "AUX"})
