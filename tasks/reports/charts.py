"""Draws answers as Vega-Lite charts whose colours are CSS variables: one picture serves light, dark and paper."""

import calendar
import json
from datetime import date
from itertools import dropwhile
from typing import Any, Literal

import altair as alt

from tasks.reports.insights import Driver
from tasks.reports.periods import Spans
from tasks.reports.questions import Answer, Cell

FONT = "Inter, 'Segoe UI', system-ui, -apple-system, 'Helvetica Neue', Arial, sans-serif"
AXIS_WIDTH = 44
DRIVER_ROWS = 10
WIDE = 5
Side = Literal["left", "center", "right"]
SIDES: dict[Side, int] = {"left": -6, "center": 0, "right": 6}
SHADE = alt.condition("datum.current", alt.value(1.0), alt.value(0.45))
THEME: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--muted)",
        "titleColor": "var(--muted)",
        "gridColor": "var(--line)",
        "domain": False,
        "ticks": False,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelPadding": 8,
    },
    "text": {"color": "var(--ink)", "fontSize": 12},
}

Spec = dict[str, Any]


def trend(answer: Answer, spans: Spans, minimum: int, name: str) -> list[Spec]:
    """The score over time with its volume beneath; the period before is dimmed, thin months are hollow."""
    # The time before the first comment says nothing and would take the room of the rest.
    heard = dropwhile(lambda cell: not cell.volume, answer.cells)
    rows = [_point(cell, spans, minimum) for cell in heard]
    values = [row["value"] for row in rows if row["value"] is not None]
    if not values:
        return []
    _name(rows)
    tooltip = [
        alt.Tooltip("label:N", title="When"),
        alt.Tooltip("told:N", title=name),
        alt.Tooltip("volume:Q", title="Comments", format=","),
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(tooltip=tooltip)
    return [_spec(_score_line(base, values), 240), _spec(_volume_bars(base), 56)]


def _name(rows: list[dict[str, Any]]) -> None:
    """Named are the ends and the extremes: on a phone more numbers than that run into each other."""
    sure = [row["value"] for row in rows if row["value"] is not None and not row["small"]]
    named = {sure[0], sure[-1], min(sure), max(sure)} if sure else set()
    for row in rows:
        row["named"] = not row["small"] and row["value"] in named
        # Beside an axis a number in the middle would lie on the axis's own.
        row["side"] = "left" if row is rows[0] else "right" if row is rows[-1] else "center"


def _score_line(base: alt.Chart, values: list[float]) -> alt.LayerChart | alt.FacetChart:
    time = alt.X("label:N", sort=None, title=None, axis=alt.Axis(labelAngle=0, labelOverlap=True, grid=False))
    axis = alt.Axis(minExtent=AXIS_WIDTH, maxExtent=AXIS_WIDTH, tickCount=5)
    base = base.encode(x=time, y=alt.Y("value:Q", title=None, axis=axis, scale=alt.Scale(zero=False, padding=12)))
    line = base.mark_line(strokeWidth=2.5, interpolate="monotone", color="var(--accent)")
    fill = alt.condition("datum.small", alt.value("var(--card)"), alt.value("var(--accent)"))
    points = base.mark_point(size=90, filled=True, stroke="var(--accent)", strokeWidth=2)
    digits = ".0f" if max(values) - min(values) > 12 else ".1f"
    layers = [line, points.encode(fill=fill, opacity=SHADE), *(_numbers(base, side, digits) for side in SIDES)]
    if min(values) < 0 < max(values):
        zero = alt.Chart(alt.InlineData(values=[{"value": 0}])).mark_rule(color="var(--muted)", strokeDash=[2, 4])
        layers.insert(0, zero.encode(y="value:Q"))
    return alt.layer(*layers)


def _numbers(base: alt.Chart, side: Side, digits: str) -> alt.Chart:
    texts = base.transform_filter(f"datum.named && datum.side == '{side}'").mark_text(
        align=side, dx=SIDES[side], dy=-16, fontWeight="bold"
    )
    drawn: alt.Chart = texts.encode(text=alt.Text("value:Q", format=digits))
    return drawn


def _volume_bars(base: alt.Chart) -> alt.Chart:
    axis = alt.Axis(minExtent=AXIS_WIDTH, maxExtent=AXIS_WIDTH, tickCount=2, grid=False)
    bars = base.mark_bar(cornerRadiusEnd=3, color="var(--soft)")
    time = alt.X("label:N", sort=None, title=None, axis=None)
    drawn: alt.Chart = bars.encode(x=time, y=alt.Y("volume:Q", title=None, axis=axis), opacity=SHADE)
    return drawn


def drivers(found: list[Driver], name: str) -> list[Spec]:
    """How much higher or lower the score is where a topic is praised or blamed, with its 95 % interval."""
    if not found:
        return []
    labels = list(dict.fromkeys(driver.label for driver in found))[:DRIVER_ROWS]
    rows = [
        {
            "term": driver.label,
            "said": "praised" if driver.opinion == "positive" else "blamed",
            "gap": driver.difference,
            "low": driver.low,
            "high": driver.high,
            "impact": driver.impact,
            "volume": driver.volume,
            "score": driver.score,
        }
        for driver in found
        if driver.label in labels
    ]
    colour = alt.condition("datum.said == 'praised'", alt.value("var(--good)"), alt.value("var(--bad)"))
    term = alt.Y(
        "term:N", sort=labels, title=None, axis=alt.Axis(labelColor="var(--ink)", labelFontSize=13, labelLimit=150)
    )
    title = f"{name} against all others"
    wide = max(max(abs(driver.low), abs(driver.high)) for driver in found) > WIDE
    tooltip = [
        alt.Tooltip("term:N", title="What"),
        alt.Tooltip("said:N", title="How"),
        alt.Tooltip("score:Q", title=f"{name} with it", format=".1f"),
        alt.Tooltip("gap:Q", title="Difference", format="+.1f"),
        alt.Tooltip("impact:Q", title="Moves the total by", format="+.1f" if wide else "+.2f"),
        alt.Tooltip("volume:Q", title="Answers", format=","),
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=term, color=colour, tooltip=tooltip)
    digits = "+.0f" if wide else "+.1f"
    interval = base.mark_rule(strokeWidth=2, opacity=0.45).encode(
        x=alt.X("low:Q", title=title, axis=alt.Axis(format=digits, tickCount=5)), x2="high:Q"
    )
    dots = base.mark_circle(opacity=1).encode(
        x="gap:Q", size=alt.Size("volume:Q", legend=None, scale=alt.Scale(range=[60, 420]))
    )
    zero = alt.Chart(alt.InlineData(values=[{"gap": 0}])).mark_rule(color="var(--muted)").encode(x="gap:Q")
    return [_spec(alt.layer(zero, interval, dots), max(120, 34 * len(labels)))]


def _point(cell: Cell, spans: Spans, minimum: int) -> dict[str, Any]:
    return {
        "label": _label(cell.values[0]),
        "value": cell.value,
        "volume": cell.volume,
        "small": cell.volume < minimum,
        "told": _told(cell, minimum),
        "current": _is_current(cell.values[0], spans.current.first),
    }


def _told(cell: Cell, minimum: int) -> str:
    if cell.value is None:
        return "–"
    return "too few answers" if cell.volume < minimum else f"{cell.value:.1f}".replace("-", "\N{MINUS SIGN}")


def _is_current(bucket: str, first: date) -> bool:
    """Whether a bucket lies in the report's period; a day's label does not say of which month it is."""
    if "-W" in bucket:
        year, week, _ = first.isocalendar()
        return bucket >= f"{year}-W{week:02}"
    known = {7: f"{first:%Y-%m}", 4: f"{first:%Y}"}.get(len(bucket))
    return known is None or bucket >= known


def _label(value: str) -> str:
    parts = value.split("-")
    if len(parts) == 2 and parts[1].isdigit():
        return f"{calendar.month_abbr[int(parts[1])]} {parts[0][2:]}"
    return value


def _spec(chart: alt.Chart | alt.LayerChart | alt.FacetChart, height: int) -> Spec:
    drawn = chart.properties(width="container", height=height).configure(**THEME)
    spec: Spec = json.loads(drawn.to_json(validate=False))
    spec["autosize"] = {"type": "fit", "contains": "padding", "resize": True}
    return spec
