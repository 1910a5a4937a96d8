"""Base forms of words: an exact table for what rules get wrong, and suffix rules learnt from treebanks for all else.

A rule cuts an ending and puts another in its place. Several rules may fit a form; one that yields a word the language's
lexicon knows wins over a longer one that does not, so the lexicon's vocabulary corrects what no treebank showed.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

_MAX_ENDING = 6
_MIN_COUNT = 2
_MIN_STEM = 2
_COMMON = 60
OPEN = ("NOUN", "VERB", "ADJ", "ADV")
_WORD = re.compile(r"[-'’]?[^\W\d_]+(?:['’.\-][^\W\d_]+)*[.'’]?")
"""Letters, joined by what joins them within a word ("l'", "e-mail", "z.B."): no numbers, marks or addresses."""
_SAME = {"PROPN": "NOUN", "AUX": "VERB", "X": "NOUN", "INTJ": "ADV"}

Rule = tuple[int, str]
"""How many characters to cut from the end, and what to append."""


def rule_of(form: str, lemma: str) -> Rule:
    """The rule that makes `lemma` of `form`."""
    same = 0
    for a, b in zip(form, lemma, strict=False):
        if a != b:
            break
        same += 1
    return len(form) - same, lemma[same:]


def apply(rule: Rule, form: str) -> str:
    """`form` with its ending replaced."""
    cut, add = rule
    return (form[:-cut] if cut else form) + add


class Lemmas:
    """The lemmas of one language."""

    def __init__(
        self,
        exact: dict[tuple[str, str], str],
        endings: dict[tuple[str, str], Rule],
        common: dict[str, list[tuple[str, str]]],
    ) -> None:
        self._exact = exact
        self._endings = endings
        self._common = common
        self._cache: dict[tuple[str, str], str] = {}
        self._corrected: dict[tuple[str, str], str] = {}
        self.prefix = ""
        self.known: Callable[[str, str], bool] = lambda _word, _tag: False

    @classmethod
    def load(cls, path: Path) -> "Lemmas":
        """Read a file written by `save`; a missing file makes lemmas that are the forms themselves."""
        exact: dict[tuple[str, str], str] = {}
        endings: dict[tuple[str, str], Rule] = {}
        common: dict[str, list[tuple[str, str]]] = defaultdict(list)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for line in lines:
            if line.startswith("# "):
                continue
            kind, tag, key, cut, add = line.split("\t")
            rule = (int(cut), add)
            if kind == "=":
                exact[key, tag] = apply(rule, key)
            elif kind == "-":
                endings[key, tag] = rule
            else:
                common[tag].append((key, add))
        return cls(exact, endings, dict(common))

    def correct(self, rows: Iterable[list[str]]) -> None:
        """Take (form, tag, base form) rows written by hand, which win over all that was learnt.

        A form that begins with an asterisk is an ending: its rule joins the common ones, as the last of them.
        """
        for form, tag, base in rows:
            if form.startswith("*"):
                self._common.setdefault(tag, []).append((form[1:], base))
            else:
                self._corrected[form, tag] = base

    def mended(self, low: str) -> set[str]:
        """The parts of speech of which a base form of `low` was written by hand."""
        return {tag for tag in OPEN if (low, tag) in self._corrected}

    def lemma(self, low: str, tag: str) -> str:
        """The base form of a lower-case word that is used as `tag`."""
        key = (low, tag)
        found = self._cache.get(key)
        if found is None:
            if len(self._cache) > 20000:
                self._cache.clear()
            found = self._cache[key] = self._find(low, tag)
        return found

    def _find(self, low: str, tag: str) -> str:
        # A name keeps its form unless the lexicon knows it as a common noun: a capital alone makes "Rooms" no name.
        proper, tag = tag == "PROPN", _SAME.get(tag, tag)
        corrected = self._corrected.get((low, tag))
        if corrected is not None:
            return corrected
        exact = self._exact.get((low, tag))
        if exact is not None and "|" in exact:
            # Some treebanks leave a choice open.
            exact = low if low in exact.split("|") else exact.partition("|")[0]
        if exact is not None and (tag != "NOUN" or not self.known(low, tag) or self.known(exact, tag)):
            return exact
        if tag not in OPEN:
            return low
        if self.known(low, tag):
            return self._singular(low) if tag == "NOUN" and exact is None else low
        found = list(self._fitting(low, tag))
        if self.prefix and tag in {"VERB", "ADJ"} and self.prefix in low[:-3]:
            # "ge-macht", "aus-ge-druckt": the participle's prefix goes, at the front or after a separable one.
            found += [
                c
                for at in range(len(low) - 4)
                if low.startswith(self.prefix, at)
                for c in self._fitting(low[:at] + low[at + len(self.prefix) :], "VERB")
            ]
        for candidate in found:
            # "material" is no form of "mate", whatever an ending rule says.
            if self.known(candidate, tag) and len(candidate) > len(low) - (6 if tag == "VERB" else 4):
                return candidate
        if proper:
            return low
        for ending, add in self._common.get(tag, ()):
            if low.endswith(ending) and len(low) - len(ending) >= _MIN_STEM:
                candidate = low[: len(low) - len(ending)] + add
                if self.known(candidate, tag):
                    return candidate
        return found[0]

    def _singular(self, low: str) -> str:
        """Of a known noun the shorter known noun it is a form of: "facilities" counts with "facility"."""
        found = next(iter(self._fitting(low, "NOUN")))
        return found if len(found) < len(low) and low.startswith(found[:-1]) and self.known(found, "NOUN") else low

    def _fitting(self, low: str, tag: str) -> Iterable[str]:
        """What the rules make of a form, the longest ending first, then the form itself."""
        for length in range(min(_MAX_ENDING, len(low) - 1), -1, -1):
            rule = self._endings.get((low[len(low) - length :], tag))
            if rule is not None and rule[0] + _MIN_STEM <= len(low):
                yield apply(rule, low)
        yield low

    def candidates(self, low: str, tags: Iterable[str] = OPEN) -> list[str]:
        """The base forms a word might have as any of `tags`; itself first."""
        found = dict.fromkeys([low])
        for tag in tags:
            found[self.lemma(low, tag)] = None
        return list(found)


def learn(
    triples: Iterable[tuple[str, str, str]],
) -> tuple[dict[tuple[str, str], Rule], dict[tuple[str, str], Rule], dict[str, list[tuple[str, str]]]]:
    """Exact forms, endings and common rules from (lower-case form, tag, lemma) triples."""
    seen: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for form, tag, lemma in triples:
        seen[form, _SAME.get(tag, tag)][lemma] += 1
    totals: Counter[str] = Counter()
    for (form, _), found in seen.items():
        totals[form] += found.total()
    # A use that is one in twenty is more often the annotators' correction of a slip ("to" for "too") than a use.
    seen = {(form, tag): found for (form, tag), found in seen.items() if found.total() * 20 > totals[form]}
    best = {key: min(found, key=lambda lemma: (-found[lemma], lemma)) for key, found in seen.items()}
    votes: dict[tuple[str, str], Counter[Rule]] = defaultdict(Counter)
    common: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for (form, tag), lemma in best.items():
        if tag not in OPEN:
            continue
        rule = rule_of(form, lemma)
        if len(form) - rule[0] < _MIN_STEM or len(rule[1]) > _MAX_ENDING:
            continue
        common[tag][form[len(form) - rule[0] :], rule[1]] += 1
        for length in range(min(_MAX_ENDING, len(form) - 1) + 1):
            if rule[0] <= length:
                votes[form[len(form) - length :], tag][rule] += 1
    endings: dict[tuple[str, str], Rule] = {}
    for ending, tag in sorted(votes, key=lambda key: (len(key[0]), key)):
        rule = min(votes[ending, tag], key=lambda r: (-votes[ending, tag][r], r))
        shorter = next(
            (endings[ending[n:], tag] for n in range(1, len(ending) + 1) if (ending[n:], tag) in endings), None
        )
        if votes[ending, tag][rule] >= _MIN_COUNT and rule != shorter:
            endings[ending, tag] = rule
    model = Lemmas({}, endings, {})
    exact = {
        (form, tag): rule_of(form, lemma)
        for (form, tag), lemma in sorted(best.items())
        if model.lemma(form, tag) != lemma
    }
    frequent = {
        tag: [
            rule
            for rule, count in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:_COMMON]
            if count >= _MIN_COUNT
        ]
        for tag, found in sorted(common.items())
    }
    return exact, endings, frequent


def save(
    path: Path,
    exact: dict[tuple[str, str], Rule],
    endings: dict[tuple[str, str], Rule],
    common: dict[str, list[tuple[str, str]]],
) -> None:
    """Write what `learn` found; `=` an exact form, `-` an ending, `*` a common rule."""
    lines = ["# kind\ttag\tform or ending\tcharacters to cut\tending to append"]
    lines += [f"=\t{tag}\t{form}\t{cut}\t{add}" for (form, tag), (cut, add) in exact.items()]
    lines += [f"-\t{tag}\t{ending}\t{cut}\t{add}" for (ending, tag), (cut, add) in endings.items()]
    lines += [f"*\t{tag}\t{ending}\t{len(ending)}\t{add}" for tag, rules in common.items() for ending, add in rules]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def triples(words: Iterable[tuple[str, str, str]]) -> Iterable[tuple[str, str, str]]:
    """Treebank words (form, tag, lemma) as `learn` wants them, odd ones left out."""
    for form, tag, lemma in words:
        low, base = form.lower(), lemma.lower().replace("#", "").replace("_", " ").strip()
        if (
            base
            and " " not in base
            and "\t" not in low
            and lemma != "_"
            and tag not in {"PUNCT", "SYM", "NUM", "X", ""}
            and _WORD.fullmatch(low)
            and _WORD.fullmatch(base)
            and (base[0].isalpha() or base == low)
        ):
            yield low, tag, base
