"""Cuts Chinese into words with rjieba's dictionary, and degrees and negations off the words they cling to."""

import re
from collections.abc import Callable, Iterable
from sys import intern

import rjieba

from feedback.analysis import tokens
from feedback.analysis.chinese_dictionary import NAMING, OWN, SETTLED, TAGS, has, tag
from feedback.analysis.tags import NOUNS
from feedback.analysis.tokens import Tokens

_PLAIN = frozenset("慢快高低贵差佳大小远近硬脏吵浅深短薄厚挤难好多少久")
"""Adjectives of one character that no name of two or more ends in, as far as we met."""
_FELT = frozenset("轻重咸鲜淡嫩腻腥甜软稳沉偏")
"""Others, which names may end in."""
_BEFORE = frozenset("太很真不没超挺最更好蛮够")
_TRAILING = frozenset("比就也都又还很太的了是有")
_REMEMBERED = 20_000
_RARE = 1
"""Two characters are one word only where no word of the dictionary claims either of them."""
_ENDING = _PLAIN | _TRAILING | frozenset("里后中内一")
_MEASURED = ("本书", "套书", "部书", "碗面", "台车", "款车", "辆车")
"""The dictionary joins a measure with what it counts; "这本书" speaks of the book."""
_MODAL = frozenset({"会", "能", "老", "常"})
_POINTING = frozenset({"此处", "此人", "此时", "此地", "此类", "此次", "此外"})
_PAIR, _QUALITY = 2, 4
_SIDES = frozenset("前后上下内外")
_SLIGHTLY = frozenset("贵远大小高低硬软吵旧慢轻重薄厚窄暗")
"""With 点 behind a noun these say that it is a bit so: "床小点" speaks of no dim sum."""
_GAMING = frozenset({"打游戏", "玩游戏"})
"""The dictionary joins the two; "打游戏卡顿" speaks of games."""
_JOINING = frozenset("也都又还就")
_RESULTS = frozenset("上了到下起住出开动完着")
"""After a negation these tell what fails: "联系不上"; they are not judged themselves."""
_THING = frozenset({"n", "ng"})
_HAVING = frozenset("有没是给让叫被把")
_DENYING = frozenset({"不", "没"})
_LEADING = frozenset({"ADV", "PRON", "ADP", "CCONJ"})
_BLANK = re.compile(r"(?<=[\u3400-\u9fff]{2})[ \u3000](?=[ \u3000]*[\u3400-\u9fff]{2})")
_STATEMENT = 3.5
"""Characters between blanks from which on they part statements; in fewer, somebody has parted the words."""


def parted(text: str) -> str:
    """A text whose blanks between two statements are commas, which is what they stand for: "房间小 设施旧"."""
    if " " not in text and "\u3000" not in text:
        return text
    found, count = _BLANK.subn("，", text)
    return found if len(text) >= _STATEMENT * (count + 1) else text


class Cutter:
    """Cuts a Chinese text where the lexicon's entries, its degrees and negations and its nouns are known.

    The dictionary joins what the lexicon wants apart ("太少", "并不大", "态度恶劣", "网速慢") and parts what it wants
    whole ("游戏卡|顿"): both are mended here.
    """

    def __init__(
        self,
        known: Iterable[str],
        judging: Iterable[str],
        degrees: Iterable[str],
        nouns: Iterable[str],
        *,
        simplified: Callable[[str], str] = str,
        fixed: Iterable[str] = (),
    ) -> None:
        """`judging` are the adjectives among `known`, `fixed` its turns of phrase that are one word.

        `simplified` writes a text in the characters they are in.
        """
        self._known = frozenset(map(intern, map(str.lower, known)))
        self._judging = frozenset(judging)
        self._degrees = frozenset(degrees)
        self._nouns = frozenset(noun for noun in nouns if not (len(noun) == 2 and noun[0] in _BEFORE))
        self._simplified = simplified
        self._cut: dict[str, list[str]] = {}
        for turn in fixed:
            if not turn.isascii() and _is_whole(turn):
                # Alone and in a sentence the dictionary cuts "入口即化" differently; it is one word wherever it stands.
                rjieba.add_word(turn, SETTLED if len(turn) > 2 else _RARE, "l")

    def cut(self, text: str) -> Tokens:
        """The tokens of a text."""
        plain = self._simplified(text)
        surface: list[str] = []
        begin: list[int] = []
        end: list[int] = []
        kind: list[str] = []
        for word, start, stop, sort in zip(*tokens.cut(text), strict=True):
            if sort == tokens.WORD and stop - start > 1 and not word.isascii():
                pieces = self._segment(plain[start:stop])
                at = start
                for piece in pieces:
                    begin.append(at)
                    at += len(piece)
                    end.append(at)
                if at == stop:
                    surface += pieces
                    kind += [sort] * len(pieces)
                    continue
                del begin[len(kind) :], end[len(kind) :]
            surface.append(word)
            begin.append(start)
            end.append(stop)
            kind.append(sort)
        if plain != text:
            # What was read in other characters is shown in its own.
            surface = [text[start:stop] for start, stop in zip(begin, end, strict=True)]
        return Tokens(surface, begin, end, kind)

    def _segment(self, run: str) -> list[str]:
        """The pieces of a run of characters."""
        known, degrees, parted = self._known, self._degrees, self._cut
        found: list[str] = []
        last = ""
        for whole in rjieba.cut(run):
            for piece in parted.get(whole) or self._part(whole, run):
                if len(piece) == 2 and last and _strayed(last, piece):
                    head, piece = piece[0], piece[1]  # noqa: PLW2901 - what is left of it
                    found[-1:] = [last + head] if last == "以" else [last, head]
                    last = found[-1]
                if last in _DENYING or (
                    len(piece) == 1 and last and piece not in degrees and (last[-1] + piece).lower() in known
                ):
                    self._add(found, piece)
                    last = found[-1]
                else:
                    found.append(piece)
                    last = piece
        if last == "很少":
            # "车位很少" has few; "很少出错" seldom fails.
            found[-1:] = ["很", "少"]
        return found

    def _part(self, whole: str, run: str) -> list[str]:
        """The parts of a word of the dictionary's, remembered."""
        if whole in _GAMING:
            return self._parts(whole) if whole == run else [whole[0], whole[1:]]
        if len(self._cut) >= _REMEMBERED:
            self._cut.clear()
        self._cut[whole] = self._parts(whole)
        return self._cut[whole]

    def _add(self, found: list[str], piece: str) -> None:
        """Add a piece, joined to the character before it where the two are one entry."""
        last, known = found[-1], self._known
        if last in _DENYING and (piece == "太" or last + piece in known):
            found[-1] += piece
            return
        joins = len(piece) == 1 and not {piece, last} & self._degrees and (last[-1] + piece).lower() in known
        if joins and len(last) == 1:
            found[-1] += piece
        elif joins and len(last) > 2 and self._names(last[:-1]):
            found[-1:] = [last[:-1], last[-1] + piece]
        else:
            found.append(piece)

    def _parts(self, piece: str) -> list[str]:
        if len(piece) == 1 or piece.isascii() or piece in self._nouns or OWN.get(piece) == "NOUN":
            return [piece]
        if piece[-1] == "的" and (piece[:-1] in self._known or piece[:-1] in _PLAIN):
            return [*self._parts(piece[:-1]), "的"]
        if piece[-1] == "得" and piece not in self._known and (not has(piece) or tag(piece) in NOUNS):
            # "价格贵得", "床大得": the dictionary guesses, as it does not know the word, or knows a name ("脏得").
            return [*self._parts(piece[:-1]), "得"]
        if len(piece) == 2 and not (_BEFORE.isdisjoint(piece) or self._listed(piece) or has(piece)):
            return list(piece)
        if len(piece) == 2 and piece[0] in _JOINING and piece[1] in _PLAIN:
            return list(piece)
        # "高性价比" is judged by its first character, "此书" points at the book.
        rated = len(piece) == _QUALITY and piece[0] in "高低" and piece[1:] in self._nouns
        pointed = len(piece) == _PAIR and piece[0] in "此该" and tag(piece[1]) == "NOUN" and piece not in _POINTING
        if rated or pointed or piece.endswith(_MEASURED):
            at = 1 if rated or pointed else len(piece) - 1
            return [piece[:at], piece[at:]]
        for n in range(len(piece) - 2, 1, -1):
            # "态度恶劣" is an entry of its own, but what it judges shall be seen.
            if piece[n:] in self._judging and self._names(piece[:n]):
                return [piece[:n], piece[n:]]
        # "重量轻" is a word of the dictionary's.
        ends = piece[-1] in _PLAIN or (piece[-1] in _FELT and tag(piece) not in NOUNS)
        if len(piece) > 2 and ends and self._names(piece[:-1]):
            return [piece[:-1], piece[-1]]
        if self._listed(piece):
            # Where the dictionary joins in a sentence what it parts alone ("不太"), the lexicon has it parted.
            return [piece] if len(rjieba.cut(piece)) == 1 else self._segment(piece)
        for n in range(len(piece) - 1, 0, -1):
            rest = piece[n:]
            if piece[:n] in self._degrees and rest not in _RESULTS and (rest in self._known or rest in _PLAIN):
                return [piece[:n], piece[n:]]
        return self._infixed(piece) or self._guessed(piece)

    def _listed(self, piece: str) -> bool:
        return piece in self._degrees or piece in self._known

    def _infixed(self, piece: str) -> list[str]:
        """A guess that swallowed a degree or a particle: "汤太咸", "价格比"; nothing where it did not."""
        for n in range(1, len(piece)):
            head, mark, rest = piece[:n], piece[n], piece[n + 1 :]
            if mark in _BEFORE and rest and (rest in self._known or rest in _PLAIN) and tag(head) in NAMING:
                return [head, mark, rest]
        if piece[-1] in _TRAILING and self._names(piece[:-1]):
            return [piece[:-1], piece[-1]]
        return []

    def _guessed(self, piece: str) -> list[str]:
        """What no dictionary has is left whole, unless an adverb leads it or an adjective ends it: "还少", "戴久"."""
        try:
            parts = rjieba.tag(piece, False)
        except UnicodeEncodeError:
            return [piece]
        led = TAGS.get(parts[0][1]) in _LEADING
        # "汤浓肉多": the adjective belongs to the noun before it.
        led = led or (len(parts[0][0]) == 1 and TAGS.get(parts[0][1]) == "ADJ" and parts[0][0] in self._known)
        # "会卡"
        led = led or (len(parts) == 2 and parts[0][0] in _MODAL and parts[1][0] in self._known)
        # "口太少", "紧不太爽"
        graded = any(word in self._degrees and word[-1] in _BEFORE for word, _ in parts[1:-1])
        ended = len(parts) == 2 and (
            parts[1][0] in _ENDING or (parts[1][0] in _FELT and parts[0][1] in _THING)  # "汤鲜"
        )
        if (led and len(parts) < 4) or ended or graded or _states(parts):
            words = [word for word, _ in parts]
            return [words[0], piece[1:]] if words[0] in _HAVING else words
        return [piece]

    def _names(self, word: str) -> bool:
        if len(word) == 1 or word in self._nouns:
            return len(word) > 1
        return word not in self._known and tag(word) in NAMING and not (word[-1] in _BEFORE and not has(word))


def _strayed(last: str, piece: str) -> bool:
    """Whether the first of two characters belongs to what stands before them: "以|前菜", "这本|书写", "床|小点"."""
    if piece[1] == "点":
        return piece[0] in _SLIGHTLY and tag(last) in NAMING
    return (last == "以" and piece[0] in _SIDES) or (piece == "书写" and last[-1] == "本")


def _states(parts: list[tuple[str, str]]) -> bool:
    """Whether a guess is a noun and what is said of it, or a verb or measure and its noun: "汤|洒", "张|纸"."""
    if parts[0][0] in _HAVING:
        return True
    (_, first), (second, last) = parts[0], parts[-1]
    said = first in _THING and last in {"v", "a"} and len(second) == 1
    return len(parts) == 2 and (said or (first == "q" and last == "n"))


def _is_whole(turn: str) -> bool:
    """Whether a turn of phrase is one word: it names nothing, as "服务热情" does, whose noun shall be seen."""
    if len(turn) == 2:
        return not has(turn) and (_BEFORE | _DENYING).isdisjoint(turn)
    if len(turn) < 2 or (tag(turn[0]) in NAMING and turn[1] in _BEFORE):
        return False  # "量很足"
    opens = (turn[:n] for n in range(2, len(turn)))
    return not any(has(part) and tag(part) in NAMING for part in opens)
