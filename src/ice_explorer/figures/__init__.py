"""Draw static figures of a scene: SVG, PNG and PDF pages, Matplotlib Axes and HTML tables.

Data flow: `scene` → panels → `page` → file. Start at `compose`.
"""
