"""Tables of tools/scale.py in Markdown."""
# SPDX-License-Identifier: BSD-3-Clause
import math


def number(value, digits=2):
    """Format 1.2e-5; small powers of ten written out."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return str(value)
    if value == 0 or 1e-2 <= abs(value) < 1e4:
        return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.0f}"
    return short(f"{value:.{digits - 1}e}")


def short(text):
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def table(head, rows):
    print("\n| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for row in rows:
        print("| " + " | ".join(number(cell) for cell in row) + " |")
    print(flush=True)


def quantile(values, share):
    """Quantile of a list by linear interpolation between its sorted values."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = math.ceil(place)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low]) if math.isfinite(ordered[high]) else ordered[high]


def first_line(message):
    return " ".join(message.split())[:200]
