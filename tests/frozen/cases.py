"""What is frozen: engines, positions, commands and exports, as plain texts."""

from __future__ import annotations

CONNECT4 = ("connect4", "connect4[columns=12,rows=6]")
TRON = ("tron", "tron[players=3]", "tron[players=4,starts=mirrored]")
VAMPIRES = ("vampires", "vampires[map=random:langorou+thetrap,plies=60]")
GAMES = (*CONNECT4, "connect4[columns=4,rows=4]", "connect4[columns=16,rows=10]", *TRON, *VAMPIRES)

OF_CONNECT4 = (
    "alphabeta:evaluation=static",
    "alphabeta:evaluation=lines,depth=4",
    "alphabeta:evaluation=lines,depth=5,reading=A,width=0.45",
    "alphabeta:evaluation=lines,depth=5,reading=C,ordering=evaluation,deepening=on",
    "alphabeta:evaluation=lines,nodes=3000",
    "alphabeta:evaluation=static,milliseconds=20",
    "uct:iterations=200",
    "uct:evaluation=lines,iterations=150,k=0.7",
    "uct:evaluation=static,leaf=playout,reuse=off,max_nodes=5000,iterations=100",
    "uct:milliseconds=20,cleanup=2",
    "maxn:evaluation=lines,depth=4",
    "paranoid:evaluation=static,depth=4,deepening=on",
    "expectiminimax:evaluation=lines,depth=4",
    "random",
    "human",
    'process:command="./bot --k {k}",k=3',
    "alphabeta:evaluation=static,depth=7,ordering=history,deepening=on,table=1,pvs=on,killers=2,"
    "aspiration=4",
)
OF_TRON = (
    "uct:iterations=50",
    "uct:evaluation=zones,iterations=50,k=0.2",
    "uct:evaluation=chambers,iterations=50,ending=fill",
    "uct:evaluation=zones,leaf=playout,iterations=50,ending=fill,fill_restarts=2,fill_nodes=300",
    "maxn:evaluation=zones,depth=3,parity=on,chambers=on,eyes=one,score=difference",
    "maxn:evaluation=chambers,nodes=200,fillable=off",
    "paranoid:evaluation=zones,nodes=200,ending=fill",
    "paranoid:evaluation=chambers,depth=3",
    "random",
)
OF_TWO = (
    "alphabeta:evaluation=zones,depth=4",
    "alphabeta:evaluation=chambers,depth=4,width=0.6,ending=fill",
    "expectiminimax:evaluation=chambers,depth=3",
    'process:command="./bot",protocol=codingame',
)
OF_MANY = ("uct:evaluation=zones,iterations=50,opponents=paranoid",)
OF_VAMPIRES = (
    "expectiminimax:evaluation=langorou",
    "expectiminimax:evaluation=langorou,nodes=500,window=shared,ties=last,max_groups=3",
    "expectiminimax:evaluation=langorou,depth=2,win_threshold=0.8,lose_over_win_ratio=0.8,deepening=off",
    "expectiminimax:evaluation=langorou,depth=3,table=1,killers=2,history=on",
    "uct:iterations=50",
    "uct:evaluation=langorou,iterations=50,generator=langorou",
    "random",
)
ENGINES = (
    *(f"{game}/{text}" for game in CONNECT4 for text in OF_CONNECT4),
    *(f"{game}/{text}" for game in TRON for text in OF_TRON),
    *(f"{TRON[0]}/{text}" for text in OF_TWO),
    *(f"{game}/{text}" for game in TRON[1:] for text in OF_MANY),
    *(f"{game}/{text}" for game in VAMPIRES for text in OF_VAMPIRES),
)

# These digest the source of their own file, or of a program: no kernel, and files move.
WITHOUT_KERNELS = ("process", "human", "random")

PERFT = (
    ("connect4", 6),
    ("connect4[columns=12,rows=6]", 4),
    ("connect4[columns=4,rows=4]", 8),
    ("connect4[columns=16,rows=10]", 3),
    ("tron", 6),
    ("tron[players=3]", 6),
    ("tron[players=4,starts=mirrored]", 6),
)
PLIES = (5, 12, 16)  # random plies before the positions that searches are asked in

# Fixed work: the same moves on any machine. A few of each search, for kernels take long to compile.
ASKED = (
    *(
        f"{CONNECT4[0]}/{text}"
        for text in (*OF_CONNECT4[:5], *OF_CONNECT4[6:9], *OF_CONNECT4[10:14], OF_CONNECT4[-1])
    ),
    *(f"{CONNECT4[1]}/{text}" for text in (*OF_CONNECT4[1:3], OF_CONNECT4[7])),
    *(f"{TRON[0]}/{text}" for text in (*OF_TRON[1:6], *OF_TWO[:2], "random")),
    *(f"{TRON[1]}/{text}" for text in (OF_TRON[1], OF_TRON[4], OF_TRON[6], *OF_MANY)),
    *(f"{TRON[2]}/{text}" for text in (OF_TRON[2], OF_TRON[5])),
    *(f"{VAMPIRES[0]}/{text}" for text in OF_VAMPIRES),
)

WIDE = CONNECT4[1]
WORKED = ("startpos", "moves", "6", "6", "7", "8", "5")
OVER = ("startpos", "moves", "1", "2", "1", "2", "1", "2", "1")
SMALL = "connect4[columns=4,rows=4]"
BEST = "connect4/alphabeta:evaluation=lines,depth=3"
MATCH = (BEST, "uct:iterations=50", "--blocks", "6", "-j", "1", "--out", "{folder}/match")
STUDIES = ("league", "search", "three")

# A bot for CodinGame's Tron: it answers the first line of each turn.
TURNS_LEFT = """sed -u -n -e s/{k}{depth}/&/ -e 's/^[0-9]* [0-9]*$/LEFT/p'"""

# Name of the golden -> words of the command, `--json` to be added; {folder} is an empty folder and
# {studies} that of the studies kept here.
COMMANDS: dict[str, tuple[str, ...]] = {
    "list": ("list",),
    "elo": ("elo", "10", "5", "3"),
    "elo-of-pairs": ("elo", "--pairs", "1", "2", "3", "4", "5"),
    "elo-without-spread": ("elo", "5", "0", "0"),
    "sprt": ("sprt", "0", "10", "30", "20", "20"),
    "sprt-of-pairs": ("sprt", "0", "60", "--pairs", "0", "5", "20", "60", "40"),
    "sprt-normalized": (
        *("sprt", "-5", "5", "--pairs", "1", "20", "30", "40", "15", "--model", "normalized"),
    ),
    "perft": ("perft", WIDE, "3"),
    "perft-without": ("perft", "connect4", "3", "--without", "4"),
    "evaluate-static": ("evaluate", WIDE, "static", *WORKED),
    "evaluate-lines": ("evaluate", WIDE, "lines", "-p", "reading=C", "--for", "2", *WORKED),
    "evaluate-zones": ("evaluate", "tron", "zones", "startpos", "moves", "UP", "UP", "LEFT"),
    "evaluate-chambers": ("evaluate", "tron", "chambers", "startpos", "moves", "UP", "UP", "LEFT"),
    "evaluate-langorou": ("evaluate", "vampires", "langorou"),
    "evaluate-over": ("evaluate", WIDE, "lines", *OVER),
    "bestmove-alphabeta": ("bestmove", f"{WIDE}/alphabeta:evaluation=lines,depth=4", *WORKED),
    "bestmove-uct": (
        *("bestmove", f"{WIDE}/uct:evaluation=lines,iterations=150", "--seed", "3", *WORKED),
    ),
    "bestmove-random": ("bestmove", "connect4/random", "--seed", "4"),
    "bestmove-vampires": ("bestmove", "vampires/expectiminimax:evaluation=langorou,nodes=500"),
    "play-connect4": ("play", BEST, "uct:iterations=50", "--seed", "3"),
    "play-tron-of-three": (
        *("play", "tron[width=9,height=7,players=3]/maxn:evaluation=zones,depth=2,ending=fill"),
        *("paranoid:evaluation=zones,depth=2", "random", "--seed", "5"),
    ),
    "play-vampires": (
        *("play", "vampires[plies=12]/expectiminimax:evaluation=langorou,depth=2"),
        *("random", "--seed", "5"),
    ),
    "match": ("match", *MATCH),
    "run-dry-league": ("run", "{studies}/league.toml", "-j", "2", "--dry-run"),
    "run-dry-search": ("run", "{studies}/search.toml", "-j", "2", "--dry-run"),
    "suite": ("suite", "connect4-tactics", BEST.partition("/")[2], "uct:iterations=50", "-j", "1"),
    "init": (
        "init",
        "--game",
        "tron",
        "--bot",
        TURNS_LEFT,
        "-o",
        "{folder}/own.toml",
    ),
    "check": ("check", SMALL, f"{SMALL}/random"),
}
# What differs from run to run: times of a machine.
TIMES = ("time_ms", "ms", "seconds", "seconds_expected", "load")

PLAYED_WELL = "tron/uct:evaluation=zones,iterations=20"
# Name of the file -> target and engine.
EXPORTS: dict[str, tuple[str, str]] = {
    "lines.json": ("json", BEST),
    "lines.toml": ("toml", BEST),
    "lines.h": ("header", BEST),
    "zones.hpp": ("header", PLAYED_WELL),
    "zones.rs": ("header", PLAYED_WELL),
    "Zones.java": ("header", PLAYED_WELL),
    "zones.py": ("header", PLAYED_WELL),
    "langorou.toml": ("toml", f"{VAMPIRES[0]}/{OF_VAMPIRES[1]}"),
    "python_alphabeta.py": ("python", BEST),
    "python_maxn.py": ("python", "tron[players=3]/maxn:evaluation=zones,depth=2"),
    "python_vampires.py": ("python", "vampires/expectiminimax:evaluation=langorou,depth=2"),
    "kaggle_uct.py": ("kaggle", "connect4/uct:evaluation=lines,iterations=50"),
    "codingame_uct.py": ("codingame", "tron/uct:iterations=20"),
}
