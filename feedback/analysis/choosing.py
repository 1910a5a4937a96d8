"""Chooses of all that the lexicon says of a word what fits it here: by part of speech, and by the words around it."""

from feedback.analysis.lexicon import AROUND, TAG_OF, Entry, Match
from feedback.analysis.reading import Reading
from feedback.analysis.tags import NOUNS


def choose(reading: Reading, match: Match, around_it: tuple[int, int]) -> Entry | None:
    """The entry that fits a use of a word: its condition holds, and its part of speech is the tag's if there is one."""
    best: Entry | None = None
    best_rank = -1
    tag, around = reading.tags[match.start], None
    named = tag == "PROPN" and _is_name(reading, match.start)
    for entry in match.entries:
        if named and entry.pos == "V":
            continue
        if entry.only or entry.never:
            around = _around(reading, match, *around_it) if around is None else around
            if (entry.only and entry.only.isdisjoint(around)) or not entry.never.isdisjoint(around):
                continue
        rank = (
            (4 if entry.only else 0)
            + (2 if TAG_OF.get(entry.pos) == tag else 1 if entry.pos in "*P" else 0)
            + (0 if entry.learnt else 8)
        )
        # "Long battery life, short charging time", "a restaurant with a warm welcome": of two conditions the one nearer
        # to the word counts.
        rival = rank == best_rank and best is not None and entry.weight != best.weight
        if rank > best_rank or (rival and _distance(reading, match, entry) < _distance(reading, match, best)):
            best, best_rank = entry, rank
    return best


def _is_name(reading: Reading, n: int) -> bool:
    """Whether a word taken for a name stands as one within its sentence: "we go to Nick" steals nothing."""
    return n > 0 and reading.kind[n - 1] == "w" and reading.surface[n].istitle()


def _distance(reading: Reading, match: Match, entry: Entry | None) -> int:
    """How far a match is from the nearest word of an entry's condition, more than `AROUND` beyond punctuation.

    Nouns side by side are one step: "续航时间很长" speaks of the battery as much as of time. A degree tells
    nothing of an adjective's sense: "the fabric is really cheap".
    """
    only, tags = entry.only if entry is not None else frozenset(), reading.tags
    adjective = entry is not None and entry.pos == "A"
    nearest = AROUND + 1
    for step, first in ((1, match.end), (-1, match.start - 1)):
        apart = 0
        for k in range(first, first + step * AROUND, step):
            if not 0 <= k < len(tags) or reading.kind[k] == "p":
                break
            apart += k == first or tags[k] not in NOUNS or tags[k - step] not in NOUNS
            if apart >= nearest:
                break
            if not only.isdisjoint(reading.forms[k].keys) and not (adjective and _tells_nothing(reading, k)):
                nearest = apart
                break
    return nearest


def _tells_nothing(reading: Reading, n: int) -> bool:
    """Whether a word is a pronoun or the degree of an adjective, which may stand by any sense of it."""
    return reading.tags[n] == "PRON" or (reading.tags[n] == "ADV" and reading.forms[n].shades)


def _around(reading: Reading, match: Match, begin: int, end: int) -> set[str]:
    keys, found = reading.keys, set[str]()
    found.update(*keys[max(begin, match.start - AROUND) : match.start])
    for n in range(match.start, min(end, match.end)):
        if keys[n].isdisjoint(match.entries[0].words):
            found |= keys[n]
    found.update(*keys[match.end : min(end, match.end + AROUND)])
    return found


def use(reading: Reading, match: Match, entry: Entry) -> str:
    """The part of speech that a judging word or phrase is used as."""
    if entry.pos == "E" or reading.kind[match.start] == "e":
        return "EMOJI"
    if match.end - match.start == 1:
        tag = reading.tags[match.start]
        return tag if tag in {"ADJ", "VERB", "NOUN", "ADV"} else TAG_OF.get(entry.pos, "ADJ")
    return next(
        (reading.tags[n] for n in range(match.start, match.end) if reading.tags[n] in {"VERB", "ADJ", "NOUN"}), "ADJ"
    )
