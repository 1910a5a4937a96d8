"""What is under way when a fault strikes: imports of known documents, of which some are done and some are not."""

import random
import time

from comments import Batch, make_batch
from house import PATIENCE_SECONDS, House, Process, until
from truth import Picture, breaches_of_sent, take_picture

FIRST = make_batch(1000, 1, twins=600)
SECOND = make_batch(700, 2, first=600)
"""Replaces the last of FIRST and adds to them."""


class Scene:
    """The same imports, again and again in new datasets, and the picture that they make when nothing disturbs them."""

    def __init__(self, home: House, *batches: Batch) -> None:
        self._home = home
        self._batches = batches
        self._total = sum(len(batch.documents) for batch in batches)
        self.dataset_id = ""
        self.import_ids: list[str] = []
        self.post()
        if not home.ended(self.dataset_id, self.import_ids):
            raise SystemExit("imports that nothing disturbs do not end")
        self.quiet: Picture = take_picture(home, self.dataset_id, self.import_ids)
        self.breaches = breaches_of_sent(self.quiet, list(batches))

    def post(self) -> None:
        """Posts the imports into a new dataset."""
        self.dataset_id = self._home.dataset()
        self.import_ids = [self._home.send(self.dataset_id, batch.body()) for batch in self._batches]

    def wait_amid(self, draw: random.Random) -> Process:
        """Waits for a random moment of the processing; returns the worker that is at it then."""
        goal = draw.randrange(int(self._total * 0.8))
        until(lambda: self._home.processed(self.dataset_id, self.import_ids) >= goal, 60, every=0.01)
        time.sleep(draw.uniform(0, 0.03))
        return self.holder() or self._home.workers[-1]

    def holder(self) -> Process | None:
        """The worker that has claimed one of the imports, if any has."""
        holders = (self._home.holder(import_id) for import_id in self.import_ids)
        return next((holder for holder in holders if holder is not None), None)

    def under_way(self) -> bool:
        """Whether one of the imports has not ended."""
        states = (self._home.record(self.dataset_id, i).get("state") for i in self.import_ids)
        return any(state == "STARTED" for state in states)

    def processed(self) -> int:
        """How many documents are dealt with."""
        return self._home.processed(self.dataset_id, self.import_ids)

    def ended(self, seconds: float = PATIENCE_SECONDS) -> bool:
        """Waits for the imports to complete."""
        return self._home.ended(self.dataset_id, self.import_ids, seconds)

    def picture(self) -> Picture:
        """The picture that the imports have made."""
        return take_picture(self._home, self.dataset_id, self.import_ids)
