"""Save the explorer as one page that works without a kernel: script, numbers and provenance in one file.

`recording` records the reply to every request, `page` writes the HTML, also for the output of a cell. Start at `page`.
"""
