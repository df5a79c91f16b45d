"""The charts of the report as files for a paper, through the extra `plots`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lm_eval_ifeval_pt.report import charts, specs
from lm_eval_ifeval_pt.report.contents import Contents
from lm_eval_ifeval_pt.report.specs import Spec
from lm_eval_ifeval_pt.report.strings import Language

_PIXELS = 3  # of a PNG per point of the figure


def write(contents: Contents, folder: Path, language: Language = "pt") -> list[Path]:
    """Write every chart, and the maps of restrictions, as `draw` does."""
    return draw((charts.of_page(contents) | charts.heat_maps(contents)).items(), folder, language)


def draw(named_charts: Iterable[tuple[str, Spec]], folder: Path, language: Language) -> list[Path]:
    """Write charts as SVG and PNG on white.

    Args:
        named_charts: The stem of its files, and the chart.
        folder: Where; it is made.
        language: Of the texts.

    Returns:
        The files.

    Raises:
        ImportError: the extra is not installed.
        OSError: the folder cannot be written to.
    """
    import vl_convert

    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, spec in named_charts:
        said = specs.printed(spec, language)
        svg, png = folder / f"{name}.svg", folder / f"{name}.png"
        svg.write_text(vl_convert.vegalite_to_svg(said), encoding="utf-8")
        png.write_bytes(vl_convert.vegalite_to_png(said, scale=_PIXELS))
        files += [svg, png]
    return files
