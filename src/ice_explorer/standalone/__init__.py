"""Save the explorer as one page that works without a kernel: script, numbers and provenance in one file.

Data flow: `answers` precomputes all replies, `pack` encodes them, `page` writes the HTML. Start at `build`.
"""
