"""A language as the analysis uses it: the data of its folder under `lang/`, loaded once, and forms looked up in it."""

from collections.abc import Callable, Iterable
from functools import cache, cached_property, lru_cache
from pathlib import Path
from types import ModuleType

from feedback.analysis import tokens
from feedback.analysis.form import Form
from feedback.analysis.grammar import read_grammar
from feedback.analysis.lemmas import OPEN, Lemmas
from feedback.analysis.lexicon import OPINION, TAG_OF, Lexicon, read, rows
from feedback.analysis.lookup import look_up
from feedback.analysis.retagging import settled
from feedback.analysis.tagger import Tagger, plain
from feedback.analysis.tags import NOUNS
from feedback.analysis.tokens import Tokens

FOLDER = Path(__file__).parent / "lang"
_KNOWN_FORMS = 12000
_DEGREES = frozenset({"negator", "intensifier", "diminisher", "excess", "more", "less"})
_OPEN = tuple(sorted(OPEN))
"""In the order in which the tags that a word may have are joined."""


def available() -> list[str]:
    """The codes of the languages that have data."""
    return sorted(path.parent.name for path in FOLDER.glob("*/language.toml"))


class Language:
    """The data of one language and a cache of the forms met so far. Not for several threads at once."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.folder = FOLDER / code
        self.known = (self.folder / "language.toml").exists()
        self.grammar = read_grammar(self.folder / "language.toml")
        self._dictionary: ModuleType | None = None
        self._parted: Callable[[str], str] | None = None
        self.knows_deeds = code == "zh"
        self._simple = str.maketrans({row[0]: row[1] for row in rows(self.folder / "traditional.tsv")})
        self._degrees = frozenset(row[0] for row in rows(self.folder / "modifiers.tsv") if row[1] in _DEGREES)
        self.cut: Callable[[str], Tokens] = self._cut()
        self.spelling = {row[0].lower(): row[1].lower() for row in rows(self.folder / "spelling.tsv") if len(row) > 1}
        self.entries = read(self.folder, lambda phrase: [word.lower() for word in self.cut(phrase).surface])
        self.lexicon = Lexicon(self.entries)
        self.conditions = frozenset(word for entry in self.entries for word in entry.only)
        self.contrasts = frozenset(
            entry.words[0]
            for entry in self.entries
            if entry.kind in {"contrast", "concession"} and len(entry.words) == 1
        )
        self.stopterms = frozenset(row[0].lower() for row in rows(self.folder / "stopterms.txt"))
        self.lemmas = Lemmas.load(self.folder / "lemmas.tsv")
        self.lemmas.correct(rows(self.folder / "forms.tsv"))
        self.lemmas.prefix = self.grammar.prefix
        self.tagger = Tagger.load(self.folder / "tagger.npz") if (self.folder / "tagger.npz").exists() else None
        self.topic_rows = [row for row in rows(self.folder / "topics.tsv") if len(row) == 4]
        self.nouns, self.phrase_terms = self._topic_words()
        self.topical = frozenset(term.strip().lower() for row in self.topic_rows for term in row[3].split("|"))
        # A stop-term that some industry counts as a topic ("evening", "side") is a term where it is plainly judged.
        self.contested = self.stopterms & self.nouns
        self.lemmas.known = self.knows
        if self.tagger:
            self.tagger.hint = self.hint
        self._forms: dict[str, Form] = {}
        self._lexical: dict[str, str] = {}
        self._verbal: dict[str, bool] = {}

    def _cut(self) -> Callable[[str], Tokens]:
        if self.code != "zh":
            return lambda text: tokens.cut(text, self.code)
        from feedback.analysis import chinese, chinese_cutting  # noqa: PLC0415 - their dictionary takes a moment to load, so only Chinese pays for it

        self._dictionary, self._parted = chinese, chinese_cutting.parted
        entries = list(rows(self.folder / "opinions.tsv"))
        return chinese_cutting.Cutter(
            known=(row[0] for row in entries),
            judging=(row[0] for row in entries if row[2] == "A" and row[1] != "0" and len(row[0]) > 1),
            degrees=self._degrees,
            nouns=(term for row in rows(self.folder / "topics.tsv") for term in row[-1].split("|")),
            simplified=self.simplified,
            fixed=(row[0] for row in entries if row[2] in "AVIRPM" and "~" not in row[0]),
        ).cut

    def cut_text(self, text: str) -> Tokens:
        """The tokens of a text, where a blank may stand for a comma, as it may not in a phrase."""
        return self.cut(text if self._parted is None else self._parted(text))

    def simplified(self, word: str) -> str:
        """A word in the characters the language's files are written in: `服務` is `服务`, as many characters long."""
        return word.translate(self._simple) if self._simple else word

    def _topic_words(self) -> tuple[frozenset[str], dict[str, dict[str, list[tuple[str, ...]]]]]:
        """The single words of the taxonomy that may be nouns, and its phrases by their first and their second word."""
        nouns: set[str] = set()
        phrases: dict[str, dict[str, list[tuple[str, ...]]]] = {}
        for row in self.topic_rows:
            for term in row[3].split("|"):
                words = tuple(word.lower() for word in self.cut(term.strip()).surface)
                if self.grammar.comma_ends and any(word in self._degrees for word in words):
                    continue  # "广告太多" raises a topic, but the term in it is the noun alone.
                if len(words) == 1:
                    nouns.add(words[0])
                elif words:
                    found = phrases.setdefault(words[0], {}).setdefault(words[1], [])
                    found += [] if words in found else [words]
        return frozenset(word for word in nouns if self.may_be_noun(word)), phrases

    def may_be_noun(self, word: str) -> bool:
        """Whether a word of the taxonomy is one that can name something; it also lists verbs such as `to park`."""
        if any(entry.kind == OPINION and entry.pos == "N" for entry in self.lexicon.single.get(word, ())):
            # The lexicon says so, though no treebank shows it: "i piatti", "il locale".
            return True
        lexical = self.tagger.words.get(word) if self.tagger else None
        if lexical is not None and self.tagger:
            return not NOUNS.isdisjoint(self.tagger.class_names[lexical].lstrip("!").split("|"))
        return not self.lexicon.single.get(word) or any(entry.pos in "N*" for entry in self.lexicon.single[word])

    @cached_property
    def _by_pos(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {tag: set() for tag in TAG_OF.values()}
        for entry in self.entries:
            if len(entry.words) == 1 and entry.kind == OPINION:
                for pos, tag in TAG_OF.items():
                    if entry.pos in (pos, "*"):
                        found[tag].add(entry.words[0])
        found["NOUN"] |= self.nouns | self.stopterms
        return {tag: frozenset(words) for tag, words in found.items()}

    def knows(self, word: str, tag: str) -> bool:
        """Whether the lexicon or the taxonomy lists a word as `tag`."""
        return word in self._by_pos.get(tag, ())

    @cached_property
    def accentless(self) -> dict[str, str]:
        """Entries by their accentless spelling, where that is not itself an entry."""
        words = sorted(self.lexicon.single) + sorted(self.nouns)
        found: dict[str, str] = {}
        for word in words:
            bare = plain(word)
            if bare != word and bare not in self.lexicon.words and bare not in self.nouns:
                found.setdefault(bare, word)
        return found

    def forms(self, words: Iterable[str]) -> list[Form]:
        """What is known of some word forms."""
        known = self._forms.get
        return [found if (found := known(word)) is not None else self.form(word) for word in words]

    def form(self, surface: str) -> Form:
        """What is known of a word form."""
        found = self._forms.get(surface)
        if found is None:
            if len(self._forms) >= _KNOWN_FORMS:
                self._forms.clear()
            # "#fail" says what "fail" says.
            found = look_up(self, surface[1:] if len(surface) > 1 and surface[0] == "#" else surface)
            self._forms[surface] = found
        return found

    def hint(self, low: str) -> str:
        """What a word that no treebank showed may be used as, for all that is known: tags joined by "|", or "?"."""
        listed = self.listed(low)
        if self._dictionary is not None:
            return listed
        tags = [
            tag for tag in _OPEN if tag in listed.split("|") or self.inflects(low, self.lemmas.lemma(low, tag), tag)
        ]
        if not tags and self.grammar.noun_endings and low.endswith(self.grammar.noun_endings):
            return "NOUN"
        return "|".join(tags) if tags else "?"

    def listed(self, low: str) -> str:
        """What the lexicon alone says of a word, as `hint`: taggers are trained with less than they are told in use."""
        if self._dictionary is not None:
            return str(self._dictionary.tag(low))
        tags = [tag for tag in _OPEN if self.knows(self.lemmas.lemma(low, tag), tag)]
        return "|".join(tags) if tags else "?"

    def inflects(self, low: str, base: str, tag: str) -> bool:
        """Whether a word that no treebank showed is a form of one that they showed as `tag`: "punishes" of "punish"."""
        return base != low and tag in self.seen_as(base).split("|")

    def verbal(self, form: Form) -> bool:
        """Whether a word that was tagged a noun may be a verb, for all that is known: "the grip peels"."""
        found = self._verbal.get(form.low)
        if found is None:
            found = self._verbal[form.low] = "VERB" in self.lexical(form.low) or "VERB" in self.hint(form.low)
        return found

    def acts(self, form: Form) -> bool:
        """Whether a word that was tagged a verb may be one, for all that is known."""
        if "VERB" in self.lexical(form.low).split("|") or self.inflects(form.low, self.lemma(form, "VERB"), "VERB"):
            return True
        # "Il capo controlla": known is the noun "controllo".
        return self.grammar.adjective_after and not self.knows(form.spelled, "NOUN")

    def settle(self, tags: list[str], forms: list[Form]) -> list[str]:
        """The tags of a text, mended by what is known of its words."""
        return (
            list(self._dictionary.settle(tags, forms)) if self._dictionary is not None else settled(self, tags, forms)
        )

    def is_deed(self, form: Form, tag: str, before: str) -> bool:
        """Whether a dictionary knows that a word names nothing, however it was tagged."""
        if self._dictionary is None:
            return False
        return bool(self._dictionary.is_deed(form.low, tag, before, noun=form.noun))

    def lexical(self, word: str) -> str:
        """The tags a word form may have, joined by "|"; "?" where that is unknown."""
        if self.tagger is None:
            return "?"
        found = self._lexical.get(word)
        if found is None:
            if len(self._lexical) >= _KNOWN_FORMS:
                self._lexical.clear()
            found = self._lexical[word] = self.tagger.lexical(word)
        return found

    def seen_as(self, word: str) -> str:
        """The tags a word form was seen with in the treebanks, joined by "|"; "" where they do not show it."""
        number = self.tagger.words.get(word) if self.tagger else None
        return "" if number is None or self.tagger is None else self.tagger.class_names[number].lstrip("!=")

    def uses(self, low: str) -> tuple[str, ...]:
        """The parts of speech whose base forms a word may have: those seen or written by hand, else all open ones."""
        number = self.tagger.words.get(low) if self.tagger else None
        if number is None or self.tagger is None:
            return OPEN
        seen = self.tagger.class_names[number].lstrip("!=").split("|")
        found = {"PROPN": "NOUN", "AUX": "VERB"}
        uses = {found.get(tag, tag) for tag in seen}
        if uses & {"VERB", "ADJ"}:
            # Participles are tagged now as the one and now as the other.
            uses |= {"VERB", "ADJ"}
        uses |= self.lemmas.mended(low)
        return tuple(tag for tag in OPEN if tag in uses)

    def lemma(self, form: Form, tag: str) -> str:
        """The base form of a word used as `tag`."""
        found = form.lemma.get(tag)
        if found is None:
            found = self.lemmas.lemma(form.spelled, tag)
            form.lemma[tag] = found
        return found


@cache
def load(code: str) -> Language:
    """The language of a code; one without a folder has general rules and no opinions."""
    return Language(code)


@lru_cache(maxsize=256)
def code_of(lang: str) -> str:
    """The folder name of a language tag: `pt-BR` and `pt_br` are `pt`; anything that is no tag is general."""
    code = lang.strip().lower().replace("_", "-").partition("-")[0]
    return code if code.isascii() and code.isalpha() and len(code) <= 3 else "und"
