"""A report that cannot be made says what is missing."""

from pathlib import Path

import pytest

from config.definitions import DefinitionError, check_definition
from config.report import Report
from feedback.client import FeedbackClient
from flows.aggregation_report import aggregation_report
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


def test_every_field_that_the_dataset_does_not_have_is_told_with_its_place(service: Service, tmp_path: Path) -> None:
    by_shop = {
        "name": "by_shop",
        "title": "Where?",
        "field": "metadata.nps",
        "dimensions": [{"field": "metadata.shop"}],
    }
    report = {"name": "monthly", "title": "Monthly", "dataset": "fields", "date": "metadata.store"}
    score = {"field": "metadata.csat", "type": "CSAT"}
    asked = check_definition("report", {**report, "score": score, "questions": [by_shop]}, Report)
    warehouse = open_warehouse(f"sqlite:///{tmp_path / 'warehouse.db'}")
    fields = [{"code": "nps", "type": "NPS"}, {"code": "store", "type": "String"}]
    dataset = {"name": "fields", "lang": "en", "type": "OTHER", "industry": "RETAIL_B2C", "metadataDefinitions": fields}
    with FeedbackClient(service.url, service.client_id, service.client_secret) as client:
        client.create_dataset(dataset)
        with pytest.raises(DefinitionError) as caught:
            make_report(client, warehouse, asked, tmp_path)
    warehouse.close()
    known = "its own fields are metadata.nps, metadata.store"
    assert [str(problem) for problem in caught.value.problems] == [
        f"score.field: dataset 'fields' has no 'metadata.csat'; {known}",
        f"questions[0].dimensions[0].field: dataset 'fields' has no 'metadata.shop'; {known}",
        "date: metadata.store is a String; a report needs a Datetime",
    ]


def test_a_length_that_is_none_is_told_as_what_is_wrong_in_a_definition_is() -> None:
    with pytest.raises(DefinitionError, match=r"--period:\n  period: write a number and days, weeks or months"):
        aggregation_report.fn("store_reviews", period="3 fortnights")
