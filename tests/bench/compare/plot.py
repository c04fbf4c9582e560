"""The ratios as a picture."""

import matplotlib

matplotlib.use("Agg")
# pylint: disable=wrong-import-position
from matplotlib import pyplot, ticker  # noqa: E402

from compare.report import LIBRARIES  # noqa: E402

_COLOURS = {"numpy": "#4477aa", "torch": "#ee6677", "ort": "#228833"}
_NAMES = {"numpy": "NumPy", "torch": "PyTorch", "ort": "ONNX Runtime"}


def write(path, results, title):
    """A panel for each number of threads; rows from the top down."""
    counts = sorted({count for result in results for count in result.times})
    figure, panels = pyplot.subplots(
        1, len(counts), sharey=True, squeeze=False,
        figsize=(3 + 4.5 * len(counts), 1.6 + 0.19 * len(results)))
    places = range(len(results))
    for panel, count in zip(panels[0], counts):
        for library in LIBRARIES:
            points = [(ratio, place)
                      for place, result in zip(places, results)
                      if count in result.times
                      and (ratio := result.ratio(count, library))]
            if points:
                panel.scatter(*zip(*points), s=22, color=_COLOURS[library],
                              label=_NAMES[library], zorder=3)
        panel.axvline(1, color="black", linewidth=1)
        panel.set_xscale("log")
        panel.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        panel.xaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
        panel.xaxis.set_minor_formatter(ticker.NullFormatter())
        panel.grid(axis="x", which="both", alpha=0.3)
        panel.grid(axis="y", alpha=0.15)
        panel.set_title(f"{count} thread{'s' if count > 1 else ''}")
        panel.set_xlabel("peer's time / scatterd's (right of 1: "
                         "scatterd is faster)")
    first = panels[0][0]
    first.set_yticks(list(places), [result.row.name for result in results],
                     fontsize=7)
    first.set_ylim(len(results) - 0.5, -0.5)
    figure.suptitle(title)
    figure.tight_layout()
    figure.legend(*panels[0][-1].get_legend_handles_labels(),
                  loc="upper right", fontsize=8)
    figure.savefig(path, dpi=110)
