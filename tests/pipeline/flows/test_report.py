"""A report that cannot be made says what is missing."""

from pathlib import Path

import pytest

from config.definitions import DefinitionError, check_definition
from config.report import Report
from feedback.client import FeedbackClient
from flows.service import Service
from tasks.reports.making import make_report
from tasks.warehouse import open_warehouse


def test_a_report_on_a_dataset_that_is_not_there_names_those_most_like_it(service: Service, tmp_path: Path) -> None:
    report = {"name": "monthly", "title": "Monthly", "dataset": "store-revews", "date": "metadata.day"}
    score = {"field": "metadata.nps", "type": "NPS"}
    questions = [{"name": "drivers", "title": "What moves it?", "chart": "drivers"}]
    asked = check_definition("report", {**report, "score": score, "questions": questions}, Report)
    warehouse = open_warehouse(f"sqlite:///{tmp_path / 'warehouse.db'}")
    with FeedbackClient(service.url, service.client_id, service.client_secret) as client:
        for name in ["a", "b", "c", "d", "e", "store-reviews"]:
            client.create_dataset({"name": name, "lang": "en", "type": "OTHER", "industry": "RETAIL_B2C"})
        with pytest.raises(DefinitionError, match=r"'store-revews' \(there are 'store-reviews', .* more\)"):
            make_report(client, warehouse, asked, tmp_path)
    warehouse.close()
