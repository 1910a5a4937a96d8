"""Gathers the evidence on each noun phrase: what is said of it, of what it is joined to, and around it."""

from bisect import bisect_left, bisect_right

from feedback.analysis import features, greetings, landmarks, standing
from feedback.analysis.clauses import Clause
from feedback.analysis.emphasis import Emphasis
from feedback.analysis.exceptions import Exceptions, refused
from feedback.analysis.features import (
    BACK,
    BEFORE,
    FEATURES,
    LINKED,
    MODIFIER,
    NEAR,
    OBJECT,
    OWN,
    PREDICATE,
    RELATIONS,
    SOURCE_AT,
    Row,
)
from feedback.analysis.headings import COLONS
from feedback.analysis.hits import LACK, NEGATED, WISH, Hit
from feedback.analysis.reading import Reading
from feedback.analysis.relatives import Relatives
from feedback.analysis.subjects import Subjects
from feedback.analysis.targets import ADDED, Targets
from feedback.analysis.terms import VERDICT, Node
from feedback.analysis.turns import STANDARD, share, standard, turn_former, turn_irony

_MISSING = frozenset({LACK, WISH, NEGATED})
_COMMAS = frozenset({",", "，", "、"})


class Evidence:
    """The evidence on all nodes of one text; whole when it was weighed."""

    def __init__(self, reading: Reading, nodes: list[Node], clauses: list[Clause], hits: list[Hit]) -> None:
        self.reading = reading
        self.nodes = nodes
        self.clauses = clauses
        self.rows: list[Row] = [[0.0] * len(FEATURES) for _ in nodes]
        self.orphans: list[Hit] = []
        """Judgements with nothing to judge in their sentence; they may become terms themselves."""
        self.unnamed: list[Hit] = []
        """Judgements whose own clause names nothing they may be on."""
        self._clause_of = [0] * len(nodes)
        for number, clause in enumerate(clauses):
            self._clause_of[clause.first_node : clause.last_node] = [number] * (clause.last_node - clause.first_node)
        emphasis = Emphasis(reading, nodes)
        self._joined = [n for n, node in enumerate(nodes) if node.parent >= 0 or node.peer >= 0]
        self._exceptions = Exceptions(reading, nodes)
        self._relatives = Relatives(reading, nodes)
        self._subjects = Subjects(reading, nodes)
        self._targets = Targets(reading, nodes, clauses, (self._exceptions, self._relatives, self._subjects))
        self.judged = {clauses[hit.clause].sentence for hit in hits}
        """The sentences in which a word judges, be it a middling one or one of a salutation."""
        hits = greetings.withhold(reading, hits)
        middling = {node for hit in hits if not hit.value for node in self._of_middling(hit)}
        hits = [hit for hit in hits if hit.value]
        turn_irony(reading, nodes, clauses, hits)
        turn_former(reading, clauses, hits)
        self.hits = hits
        self._middling = frozenset(middling)
        self._tied = [self._tie(hit) for hit in hits]
        self._words = self._worded()
        if emphasis.groups:
            self._single_out(emphasis)
        self._point_out()

    def weigh(self) -> None:
        """Let the judgements lean on what stands around what they are on, and set the flags: what is left to do."""
        reading, nodes, clauses, hits = self.reading, self.nodes, self.clauses, self.hits
        self.places = places = standing.places(reading, nodes, clauses, self._relatives.tokens)
        """How each node stands: see `standing`."""
        features.spread(self.rows, clauses, hits, self._tied, places)
        features.approach(self.rows, nodes, clauses, hits, reading.sentences)
        if self._exceptions.opens:
            sentences = [reading.sentences[clauses[number].sentence] for number in self._clause_of]
            self._exceptions.turn(self.rows, hits, sentences)
        self._refuse(hits)
        if reading.headings:
            features.head(self.rows, reading, nodes, [self.said(n) for n in range(len(nodes))])
        for node in self._middling:
            if not any(self.rows[node][k] or self.rows[node][k + len(RELATIONS)] for k in range(LINKED)):
                # "The pasta was so-so": no praise or blame of anything else is on the pasta.
                self.rows[node] = [0.0] * len(FEATURES)
        landmarks.quiet(reading, nodes, self.rows)
        landmarks.own(reading, nodes, self.rows)
        landmarks.mention(nodes, hits, self._tied, self.rows)
        features.flag(self.rows, reading, nodes, clauses, hits, places=places)

    def _single_out(self, emphasis: Emphasis) -> None:
        """Let what is singled out share the judgement before it."""
        for number, group in emphasis.judged(self.hits):
            for n in group:
                if n not in self._tied[number] and not self.said(n):
                    self._add(n, PREDICATE, self.hits[number], 0.8)
                    self._tied[number].add(n)

    def _point_out(self) -> None:
        """Let what a clause points at behind a preposition share its judgement: "we slept well in this bed"."""
        pointing, words = self.reading.language.grammar.demonstratives, self.reading.words
        if pointing.isdisjoint(words):
            return
        clause_of_hit = [hit.clause for hit in self.hits]
        for n, node in enumerate(self.nodes):
            if not node.inner or node.stop or node.parent >= 0 or words[node.begin - 1] not in pointing:
                continue
            here = self._clause_of[n]
            for number in range(bisect_left(clause_of_hit, here), bisect_right(clause_of_hit, here)):
                hit = self.hits[number]
                if hit.source not in _MISSING and not self.said(n):
                    self._add(n, NEAR, hit, 0.8)
                    self._tied[number].add(n)

    def _refuse(self, hits: list[Hit]) -> None:
        """Give nodes that a bare "no" follows the opposite of what their sentence said before it."""
        for n, start in refused(self.reading, self.nodes).items():
            starts = [hit.start for hit in hits]
            sentence = self.clauses[self._clause_of[n]].sentence
            begin = self.reading.sentences[sentence][0]
            value = sum(hit.value for hit in hits[bisect_left(starts, begin) : bisect_left(starts, start)])
            if value:
                self.rows[n][: features.SIGNS] = [0.0] * features.SIGNS
                relation = PREDICATE + (len(RELATIONS) if value > 0 else 0)
                self.rows[n][relation] = min(abs(value), 1.0)

    def _of_middling(self, hit: Hit) -> set[int]:
        """The nodes that a verdict without praise or blame is on."""
        clause = self.clauses[hit.clause]
        targets = self._targets.of(hit, clause)
        before = self.clauses[hit.clause - 1] if hit.clause else clause
        labelled = before.sentence == clause.sentence and before.first_node < before.last_node
        if not targets and labelled and self.reading.surface[clause.begin] in COLONS:
            # The answer to a label, as in "Price: ok.", stands in a clause of its own.
            return {before.last_node - 1}
        # "Vino della casa nella media" is said of the wine.
        wholes = {self.nodes[node].parent for node in targets} - {-1}
        return set(targets) | wholes | self._linked(targets, hit)

    def said(self, node: int) -> bool:
        """Whether something is said of a node itself, be it that it is so-so."""
        row = self.rows[node]
        last = OBJECT if self.nodes[node].firm else LINKED
        return node in self._middling or any(row[k] or row[k + len(RELATIONS)] for k in range(MODIFIER, last))

    def only_judges(self, node: int) -> bool:
        """Whether a judging noun is no more than a verdict on something else, as "a sweetheart" is on the waiter.

        "A delay" is spoken of whatever else is blamed for it: analysts count the delays, and the trains that have them.
        """
        noun = self.nodes[node]
        if not noun.polar:
            # "Saca unas fotos increíbles": what has a judgement of its own is more than a word.
            own = self.rows[node][MODIFIER] or self.rows[node][MODIFIER + len(RELATIONS)]
            return noun.head in self._words and not own
        weights = [entry.weight for entry in self.reading.forms[noun.head].opinions if entry.pos in "N*"]
        if any(abs(weight) >= VERDICT for weight in weights):
            return True
        names_a_fault = any(weight < 0 for weight in weights)
        return not names_a_fault and (noun.inner or any(node in tied and len(tied) > 1 for tied in self._tied))

    def _worded(self) -> set[int]:
        """The tokens that are no more than words of a verb's praise of something else: "stands the test of time"."""
        reading, found = self.reading, set[int]()
        for hit, tied in zip(self.hits, self._tied, strict=True):
            if hit.end - hit.start > 1 and hit.value > 0 and len(tied) > 1 and reading.tags[hit.start] == "VERB":
                words = {word for entry in hit.entries for word in entry.words}
                inside = range(hit.start + 1, hit.end)
                # "Makes my hair soft" is about the hair.
                owners = reading.language.grammar.first_person
                found.update(n for n in inside if words & reading.keys[n] and reading.words[n - 1] not in owners)
        return found

    def _add(self, node: int, relation: int, hit: Hit, share: float = 1.0) -> None:
        row, value = self.rows[node], hit.value * share
        row[relation + (0 if value > 0 else len(RELATIONS))] += abs(value)
        source = SOURCE_AT.get(hit.source)
        if source is not None and relation <= LINKED:
            row[source + (value < 0)] += abs(value)

    def _tie(self, hit: Hit) -> set[int]:
        """Find what a judgement judges; the numbers of those nodes."""
        clause = self.clauses[hit.clause]
        targets = self._targets.of(hit, clause)
        if not targets and not self._targets.named(hit):
            targets = self._elsewhere(hit)
            self.unnamed.append(hit)
        for node, relation in targets.items():
            if relation == MODIFIER and clause.opener == "contrast" and self.nodes[node].head < clause.begin:
                self._outweigh(node, hit)
            self._add(node, relation, hit, share(self.reading, self.nodes[node], hit))
        compared = standard(self.reading, self.nodes, clause, hit) - set(targets)
        for node in compared:
            self._add(node, NEAR, hit, STANDARD)
        linked = self._linked(targets, hit) - compared
        for node in linked:
            self._add(node, LINKED, hit, 0.8)
        return set(targets) | linked | compared

    def _goes_on(self, clause: Clause, hit: Hit) -> bool:
        """Whether a clause only says more of the subject before: "small but cosy", "is old but was renovated"."""
        reading, grammar = self.reading, self.reading.language.grammar
        said = hit.pos == "ADJ" or (hit.pos == "NOUN" and reading.tags[hit.start] == "ADP" and hit.end - hit.start > 1)
        if hit.pos == "VERB":
            # "Pero recomiendo" is about the whole, and not about what was spoken of last; "pero lo vale" is not.
            worth = (
                any(reading.lemma(n) in grammar.worth for n in range(hit.start, hit.end)) if grammar.worth else False
            )
            said = worth or reading.tags[hit.start - 1] in {"AUX", "ADV", "DET"}
        if not said:
            return False
        return all(
            (reading.tags[n] in ADDED or reading.lemma(n) in grammar.copulas)
            and reading.forms[n].low not in grammar.first_person
            for n in range(clause.begin, hit.start)
        )

    def _outweigh(self, node: int, hit: Hit) -> None:
        """Halve the complaint about a node that praise follows; what complains last leaves the praise as it is."""
        for relation in (MODIFIER, PREDICATE) if hit.value > 0 else ():
            self.rows[node][relation + len(RELATIONS)] *= 0.5

    def _linked(self, targets: dict[int, int], hit: Hit) -> set[int]:
        """Nodes listed with a target, or joined to it by a preposition."""
        found: set[int] = set()
        if not self._joined:
            return found
        direct = {
            node
            for node, relation in targets.items()
            if relation not in (OWN, BEFORE) and (relation != BACK or self._announced(node) or self._summed(node, hit))
        }
        if not direct:
            return found
        low, high = min(direct) - 4, max(direct) + 5
        joined = self._joined[bisect_left(self._joined, low) : bisect_left(self._joined, high)]
        for n in joined:
            node = self.nodes[n]
            if node.parent in direct:
                found.add(n)
            if node.peer < 0:
                continue
            # "The bed, the bathroom door, the balcony": a list goes on behind what belongs to its last member.
            top = self.nodes[node.peer].parent
            known = (
                {node.peer, top} if self.reading.surface[node.begin - 1] in _COMMAS or not node.inner else {node.peer}
            )
            listed = bool(known & (direct | found)) and (
                self._clause_of[n] == self._clause_of[node.peer] or self._shared(n, targets.get(node.peer, LINKED))
            )
            # "friendly staff and rude owner": an adjective of the first of a list stops at one of the second.
            if listed and (targets.get(node.peer) != MODIFIER or node.begin == node.first):
                found.add(n)
        for n in reversed(joined):
            peer = self.nodes[n].peer
            after = targets.get(n) == MODIFIER and hit.start >= self.nodes[n].last
            if (
                peer >= 0
                and self._clause_of[n] == self._clause_of[peer]
                and (targets.get(n, MODIFIER) != MODIFIER or n in found or after)
            ):
                found.add(peer)
        return {n for n in found if n not in targets and not self._exceptions.spares(n, hit)}

    def _shared(self, n: int, relation: int) -> bool:
        """Whether a verb's judgement reaches on into the next clause: "I liked the terrace and the big bar"."""
        here, peer = self._clause_of[n], self._clause_of[self.nodes[n].peer]
        return relation in {OBJECT, LINKED} and here == peer + 1 and not self.clauses[here].opener

    def _announced(self, node: int) -> bool:
        """Whether a node is the first of a list that a colon announces: "all very good: location, rooms, breakfast"."""
        clause = self.clauses[self._clause_of[node]]
        return self.reading.surface[clause.begin] == ":" and node == clause.first_node

    def _summed(self, node: int, hit: Hit) -> bool:
        """Whether a colon sums up the list a node is the last of: "location, rooms, breakfast: all very good"."""
        clause = self.clauses[hit.clause]
        return self.reading.surface[clause.begin] in COLONS and self._clause_of[node] == hit.clause - 1

    def _elsewhere(self, hit: Hit) -> dict[int, int]:
        """The target of a judgement whose clause names none: the sentence's, or what the sentence before spoke of."""
        here = self.clauses[hit.clause]
        for step in (-1, 1, -2):
            n = hit.clause + step
            if 0 <= n < len(self.clauses) and self.clauses[n].sentence == here.sentence:
                other = self.clauses[n]
                inside = self._targets.inside(other, hit)
                # "A kettle would be nice, apart from that all perfect": what is wished for is not what is perfect.
                if inside and other.wish <= here.wish:
                    target = self._subjects.topic(inside, other) if step < 0 else inside[0]
                    own = any(
                        self.rows[target][k] or self.rows[target][k + len(RELATIONS)] for k in (MODIFIER, PREDICATE)
                    )
                    contrast = here.opener == "contrast" and step == -1
                    if contrast and own and hit.value > 0 and self._goes_on(here, hit):
                        self._outweigh(target, hit)
                        return {target: PREDICATE}
                    return {target: PREDICATE if contrast and not own else BACK}
        self.orphans.append(hit)
        for n in range(hit.clause - 1, max(-1, hit.clause - 4), -1):
            other = self.clauses[n]
            if other.sentence < here.sentence - 1:
                break
            inside = [k for k in range(other.first_node, other.last_node) if not self.nodes[k].stop]
            if inside:
                return {self._subjects.topic(inside, other): BEFORE}
        return {}
