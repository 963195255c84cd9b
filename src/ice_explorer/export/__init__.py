"""Write views, tables and curves to files, each with the settings that reproduce it; `read_provenance` reads them back.

`save` handles `Explanation.save` and `ICEExplorer.save`, `request` the Export menu. Start at `save`.
"""
