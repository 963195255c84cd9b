"""Save the explorer as one page that works without a kernel: script, numbers and provenance in one file.

`recording` records the reply to every request, `page` writes the HTML, `cell` shows it in a notebook. Start at `page`.
"""
