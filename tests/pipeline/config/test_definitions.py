"""What feeds, reports and settings refuse, and what they say about it."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.definitions import DefinitionError, check_definition
from config.feed import Feed, load_feed
from config.report import Report, load_report
from config.settings import BUNDLED, load_settings

MINIMAL = {
    "name": "visits",
    "dataset": {"name": "visits"},
    "external_id": {"column": "id"},
    "content": {"columns": "text"},
}


def refusal(content: dict[str, Any]) -> str:
    with pytest.raises(DefinitionError) as caught:
        check_definition("visits.yaml", content, Feed)
    return str(caught.value)


def yaml_feed(tmp_path: Path, extra: str) -> Path:
    path = tmp_path / "visits.yaml"
    path.write_text(
        f"dataset: {{name: visits}}\nexternal_id: {{column: id}}\ncontent: {{columns: text}}\n{extra}", "utf-8"
    )
    return path


def test_every_problem_is_told_at_once_with_its_path() -> None:
    told = refusal(
        MINIMAL
        | {"batchsize": 5, "content": {}, "metadata": {"nps": {"type": "NPS"}, "x": {"type": "Score", "column": "y"}}}
    )
    assert "batchsize: no such setting here" in told
    assert "content.columns: is required" in told
    assert "metadata.nps: give exactly one of `column`" in told
    assert "metadata.x.type" in told
    assert "it reads 'Score'" in told


def test_a_zone_must_exist() -> None:
    assert "'Europe/Atlantis' is no time zone" in refusal(MINIMAL | {"zone": "Europe/Atlantis"})


def test_a_recoding_goes_one_way() -> None:
    both = {"type": "NPS", "column": "s", "recode": {"inverted": [1, 5], "scale": {"from": [1, 5], "to": [0, 10]}}}
    assert "exactly one of `values`, `inverted` and `scale`" in refusal(MINIMAL | {"metadata": {"nps": both}})


def test_a_file_without_header_needs_names_or_positions() -> None:
    assert "needs `source.columns`" in refusal(MINIMAL | {"source": {"header": False}})


def test_yes_and_no_are_words_in_yaml(tmp_path: Path) -> None:
    extra = "metadata: {ok: {type: Boolean, column: ok, recode: {values: {Yes: true, No: false}}}}"
    feed = load_feed(str(yaml_feed(tmp_path, extra)), [])
    assert feed.metadata["ok"].recode is not None
    assert feed.metadata["ok"].recode.listed == {"Yes": True, "No": False}


def test_a_key_given_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="given twice: zone"):
        load_feed(str(yaml_feed(tmp_path, "zone: UTC\nzone: Europe/Paris")), [])


def test_an_unknown_feed_names_the_known_ones() -> None:
    with pytest.raises(DefinitionError, match=r"known: .*hotels"):
        load_feed("hotel", [BUNDLED / "feeds"])


@pytest.mark.parametrize("path", sorted((BUNDLED / "feeds").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_bundled_feed_can_be_read(path: Path) -> None:
    assert load_feed(str(path), []).name == path.stem


@pytest.mark.parametrize("path", sorted((BUNDLED / "reports").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_bundled_report_can_be_read(path: Path) -> None:
    assert load_report(str(path), []).name == path.stem


def test_a_report_refuses_a_question_that_asks_nothing() -> None:
    score = {"type": "NPS", "field": "metadata.nps"}
    report = {"name": "r", "title": "R", "dataset": "d", "score": score, "questions": [{"name": "q", "title": "Q"}]}
    with pytest.raises(DefinitionError, match=r"questions\[0\]: `field` is missing"):
        check_definition("r.yaml", report, Report)


def test_a_bad_setting_is_named_as_the_variable_it_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FEEDBACK_PIPELINE_PATIENCE", "soon")
    with pytest.raises(DefinitionError, match="FEEDBACK_PIPELINE_PATIENCE"):
        load_settings()


def test_a_warehouse_is_shown_without_its_password() -> None:
    settings = load_settings(warehouse_url="postgresql://me:hush@db/w")
    assert "hush" not in settings.warehouse_label


def test_the_report_of_the_documentation_is_one() -> None:
    page = (Path(__file__).parents[3] / "docs" / "own-data.md").read_text("utf-8")
    (written,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    report = check_definition("report", {"name": "reviews"} | yaml.safe_load(written), Report)
    assert [question.chart for question in report.questions] == ["trend", "drivers", "opinions", "changes", "ranking"]


def test_a_misspelt_setting_in_the_environment_is_refused_with_the_one_it_is_near(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FEEDBACK_PIPELINE_WAREHOSE_URL", "sqlite:///elsewhere.db")
    with pytest.raises(DefinitionError, match="WAREHOSE_URL: no such setting; FEEDBACK_PIPELINE_WAREHOUSE_URL is"):
        load_settings()


def test_variables_that_an_orchestrator_sets_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SERVICE_HOST", "SERVICE_PORT", "PORT_8300_TCP_ADDR"):
        monkeypatch.setenv(f"FEEDBACK_PIPELINE_{name}", "10.0.0.1")
    assert load_settings().service_url == "http://127.0.0.1:8000"
