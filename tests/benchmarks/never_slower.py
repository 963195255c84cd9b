TITLE = "Never slower than scikit-learn"
CAPTION = ""
HEAD = ["engine"]
def rows(options):
    yield from ()
