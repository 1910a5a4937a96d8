"""Finds what a judgement is on by grammar: the noun it modifies, its subject, its object, or the nearest."""

from feedback.analysis.clauses import Clause
from feedback.analysis.exceptions import Exceptions
from feedback.analysis.features import MODIFIER, NEAR, OBJECT, OWN, PREDICATE, SUBJECT
from feedback.analysis.hits import NEGATED, Hit
from feedback.analysis.lexicon import NEGATORS
from feedback.analysis.reading import Reading
from feedback.analysis.relatives import Relative, Relatives
from feedback.analysis.subjects import Subjects
from feedback.analysis.tags import NOUNS, VERBS
from feedback.analysis.terms import Node

_BESIDE = frozenset({"ADJ", "NUM", "DET"})
ADDED = frozenset({"ADV", "CCONJ", "PUNCT", "ADJ", "PRON", "DET", "AUX"})
"""What may stand in a clause that only says more of the subject before it."""
_NEAR = 4
_DENYING = NEGATORS | {"lack"}


class Targets:
    """What the judgements of one text are on, each within its own clause."""

    def __init__(
        self,
        reading: Reading,
        nodes: list[Node],
        clauses: list[Clause],
        known: tuple[Exceptions, Relatives, Subjects],
    ) -> None:
        self._reading = reading
        self._nodes = nodes
        self._clauses = clauses
        self._exceptions, self._relatives, self._subjects = known

    def of(self, hit: Hit, clause: Clause) -> dict[int, int]:
        """The nodes a judgement in a clause is on, with its relation to each; none where the clause names nothing."""
        nodes = self._nodes
        inside = self.inside(clause, hit)
        found: dict[int, int] = {}
        held: dict[int, int] = {}
        for n in range(max(0, clause.first_node - 1), min(len(nodes), clause.last_node + 1)):
            node = nodes[n]
            if hit.start < node.end and hit.end > node.begin:
                if hit.start <= node.head < hit.end:
                    if (relation := self._within(hit, n)) is not None:
                        held |= relation
                        continue
                    if not node.stop:
                        found[n] = OWN
                elif self.named(hit):
                    return {}
                elif not node.stop:
                    found[n] = MODIFIER
                if subject := self._subject_of_predicate(n, inside):
                    found.setdefault(*subject)
                if found and OWN in found.values():
                    self._about(n, inside, found)
                if found:
                    if (noun := self._attributed(hit, inside)) is not None:
                        # "性价比很高的一款手机" praises the phone as well.
                        found.setdefault(noun, MODIFIER)
                    return found
        return self._beyond(hit, clause, inside, held)

    def _within(self, hit: Hit, n: int) -> dict[int, int] | None:
        """What a judging phrase makes of a noun that is only one of its words; None where the noun is the judgement.

        "Lost my luggage" is about luggage, "out of order" about none, "next to the toilet" about the toilet at most.
        """
        node = self._nodes[n]
        names = hit.start >= node.begin and self._reading.tags[node.head] in NOUNS
        if hit.end - hit.start > 1 and hit.pos != "NOUN" and not names:
            return {n: OBJECT} if hit.pos == "VERB" and not node.stop else {}
        return {n: OWN} if self._only_mentioned(hit, n) else None

    def _only_mentioned(self, hit: Hit, n: int) -> bool:
        """Whether a noun is a word of a judging phrase that a preposition leads: "arrive en retard".

        What such a phrase denies is judged: "without internet", "pas d'ascenseur".
        """
        node, forms = self._nodes[n], self._reading.forms
        if not node.inner or node.begin <= hit.start or self._concerns(n, 0):
            return False
        words = {word for entry in hit.entries for word in entry.words}
        if words.isdisjoint(forms[node.head].keys):
            return False
        return all(m.kind not in _DENYING for k in range(hit.start, node.begin) for m in forms[k].modifiers)

    def _beyond(self, hit: Hit, clause: Clause, inside: list[int], held: dict[int, int]) -> dict[int, int]:
        """The targets of a judgement that is on none of its own words; `held` are nouns among them."""
        if OWN in held.values():
            before = [n for n in inside if self._nodes[n].last <= hit.start]
            return (self._outside(hit, clause, before) if before else {}) or held
        person = held and any(
            self._reading.forms[k].low in self._reading.language.grammar.first_person
            for k in range(clause.begin, hit.start)
        )
        if (noun := self._attributed(hit, inside)) is not None:
            return dict([(noun, MODIFIER), *filter(None, [self._subject_of_predicate(noun, inside)])])
        return held if person else {**self._outside(hit, clause, inside), **held}

    def inside(self, clause: Clause, hit: Hit) -> list[int]:
        """The nodes of a clause that a judgement may be on."""
        nodes, spares = self._nodes, self._exceptions.spares
        found = [n for n in range(clause.first_node, clause.last_node) if not nodes[n].stop]
        return [n for n in found if not spares(n, hit)] if self._exceptions.opens else found

    def named(self, hit: Hit) -> bool:
        """Whether a judging noun is only part of a longer name ("loyalty card", "help desk")."""
        if hit.pos != "NOUN" or hit.end - hit.start > 1 or any(e.pos != "N" for e in hit.entries):
            return False
        clause = self._clauses[hit.clause]
        return any(
            node.first <= hit.start < node.last and hit.start != node.head
            for node in self._nodes[clause.first_node : clause.last_node]
        )

    def _attributed(self, hit: Hit, inside: list[int]) -> int | None:
        """The node that a particle ties a judgement before it to: "很好吃的披萨" is about the pizza."""
        particle, surface = self._reading.language.grammar.attributive, self._reading.surface
        if not particle or not (particle in surface[hit.end - 1 : hit.end + 1] and hit.end < len(surface)):
            return None
        noun = next((n for n in inside if self._nodes[n].begin >= hit.end), None)
        if noun is None or self._nodes[noun].begin - hit.end > _NEAR:
            return None
        between = zip(surface[hit.end : self._nodes[noun].begin], self._reading.tags[hit.end :], strict=False)
        return noun if all(word == particle or tag in _BESIDE for word, tag in between) else None

    def _outside(self, hit: Hit, clause: Clause, inside: list[int]) -> dict[int, int]:
        """The targets of a judgement that stands outside all noun phrases."""
        nodes = self._nodes
        before = [n for n in inside if nodes[n].last <= hit.start]
        after = [n for n in inside if nodes[n].first >= hit.end]
        relative = self._relatives.around(hit.start)
        if relative is not None and not any(nodes[n].head > relative.start and not nodes[n].inner for n in before):
            return self._of_antecedent(hit, relative, after)
        if self._relatives.tokens:
            before = [n for n in before if not self._relatives.hide(nodes[n].head, hit.start)] or before
        if hit.pos in {"VERB", "LACK", "WISH"}:
            return self._verb_targets(hit, clause, before, after)
        if before and self._subjects.verb_between(nodes[before[0]].last, hit.start):
            return {self._subjects.said_of(before, hit.start): PREDICATE}
        if before:
            # "Chambre un peu petite": a phrase just behind a noun is said of it as an adjective is.
            close = self._reading.language.grammar.adjective_after and nodes[before[-1]].end == hit.start
            if close and not nodes[before[-1]].inner:
                return {before[-1]: MODIFIER}
            # "Staff at the desk friendly", "酒店离地铁站很近" speak of staff and hotel, "对服务很满意" of service.
            aside = not self._concerns(before[-1], 0)
            return {self._subjects.nearest(before) if aside else before[-1]: NEAR}
        if after:
            return {after[0]: NEAR}
        return {}

    def _of_antecedent(self, hit: Hit, relative: Relative, after: list[int]) -> dict[int, int]:
        """The targets of a judgement in a relative clause without a subject of its own."""
        if hit.pos not in {"VERB", "LACK", "WISH"}:
            return {relative.antecedent: PREDICATE}
        first_person = self._reading.language.grammar.first_person
        if any(self._reading.forms[k].low in first_person for k in range(relative.start, hit.start)):
            return {relative.antecedent: OBJECT}
        found = {relative.antecedent: SUBJECT}
        if after and not self._nodes[after[0]].inner and self._nodes[after[0]].head < relative.end:
            found[after[0]] = OBJECT
        return found

    def _about(self, n: int, inside: list[int], found: dict[int, int]) -> None:
        """What a polar noun is about: "problems with the heating", "lack of choice", "staff is a disgrace"."""
        after = n + 1
        if (
            after < len(self._nodes)
            and after in inside
            and self._nodes[after].inner
            and self._nodes[after].begin - self._nodes[n].end <= 3
            and self._concerns(after, self._nodes[n].end)
        ):
            found.setdefault(after, OBJECT)

    def _concerns(self, n: int, start: int) -> bool:
        """Whether the preposition before a node tells what a judgement is about, and not where or when it held.

        One before token `start` belongs to the judgement itself ("smelled of").
        """
        about = self._reading.language.grammar.about
        if not about or not self._nodes[n].inner:
            return True
        k = self._nodes[n].begin - 1
        while k >= start and self._reading.tags[k] in {"DET", "NUM", "PRON", "ADJ"}:
            k -= 1
        return k < start or self._reading.forms[k].low in about

    def _subject_of_predicate(self, n: int, inside: list[int]) -> tuple[int, int] | None:
        """The subject of "X is a great Y" or "X has a great Y" and its relation, if node `n` is such a Y."""
        node, grammar = self._nodes[n], self._reading.language.grammar
        before = [m for m in inside if m < n and self._nodes[m].last <= node.begin]
        if node.inner:
            return None
        relative = self._relatives.around(node.begin)
        if relative is not None and self._follows(relative, before):
            # "The gym, which has great machines".
            subject = relative.antecedent
        elif before:
            subject = self._subjects.nearest(before)
        else:
            return None
        for k in range(node.begin - 1, self._nodes[subject].last - 1, -1):
            if self._reading.tags[k] in VERBS:
                lemma = self._reading.lemma(k)
                if lemma in grammar.copulas and grammar.nominal_predicates:
                    return subject, PREDICATE
                return (subject, SUBJECT) if lemma in grammar.possession else None
        return None

    def _follows(self, relative: Relative, before: list[int]) -> bool:
        """Whether a relative clause is about its noun: "a stall which had mould", not "no tea here, which is sad"."""
        if any(self._nodes[m].head >= relative.start for m in before):
            return False
        apart = self._reading.kind[relative.start - 1] == "p"
        return not before or not apart or not self._nodes[relative.antecedent].inner

    def _verb_targets(self, hit: Hit, clause: Clause, before: list[int], after: list[int]) -> dict[int, int]:
        grammar = self._reading.language.grammar
        person = any(self._reading.forms[k].low in grammar.first_person for k in range(clause.begin, hit.start))
        found: dict[int, int] = {}
        if hit.pos == "VERB" and (hit.negated or hit.source == NEGATED) and before and not person:
            # Who "did not offer to help with the bags" is blamed, and not the bags.
            return {self._subjects.nearest(before): SUBJECT}
        # Who "asked for the same document" is blamed, and not the document.
        told = hit.pos == "VERB" and not person and any(not self._nodes[n].inner for n in before)
        if told and after and not grammar.attributive:
            # An entry that holds only with such an object is about it: "die Stadtwerke senken den Gaspreis".
            keys = self._reading.forms[self._nodes[after[0]].head].keys
            told = all(entry.only.isdisjoint(keys) for entry in hit.entries)
        if after and not told and (person or not before or hit.pos != "VERB" or not self._nodes[after[0]].inner):
            if self._concerns(after[0], hit.end):
                found[after[0]] = OBJECT
            elif not before:
                found[after[0]] = NEAR
        if before and (not found or (not person and hit.pos == "VERB")):
            found[self._subjects.nearest(before)] = SUBJECT
        elif not before and hit.pos == "VERB" and not person and (subject := self._carried(hit, clause)) >= 0:
            found[subject] = SUBJECT
        return found

    def _carried(self, hit: Hit, clause: Clause) -> int:
        """The subject of the clause before, which a verb after a bare conjunction goes on with; -1 if none does."""
        if clause.opener or not hit.clause or self._reading.tags[clause.begin] != "CCONJ":
            return -1
        other = self._clauses[hit.clause - 1]
        straight = all(tag in ADDED for tag in self._reading.tags[clause.begin : hit.start])
        if other.sentence != clause.sentence or not straight:
            return -1
        inside = self.inside(other, hit)
        subject = self._subjects.topic(inside, other) if inside else -1
        if subject < 0 or self._subjects.verb_between(other.begin, self._nodes[subject].first):
            return -1
        return subject if self._subjects.verb_between(self._nodes[subject].last, clause.begin) else -1
