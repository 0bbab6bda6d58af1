"""Plain talk: a protocol of a few words, for every game, both ways (docs/your-search.md).

joute --plugin examples/plain_talk.py bot connect4/uct:iterations=200 --protocol plain-talk
"""

from joute import DialogueSession, Move, Parameter, Position, Protocol, Refused, parse_position


class PlainTalk(Protocol):
    """`hello`, `new`, `position startpos moves 4 4`, `think 5`; the answer is `play 3`."""

    name = "plain-talk"
    summary = "hello, new, position ..., think DEPTH; the program answers play ACTION"
    turn_ms, first_ms = 10_000.0, 20_000.0  # what a turn may take, the first one with the start
    many_games = True  # a program plays one game after the other

    def settings(self, game):
        return (Parameter("plies", "int", 4, 1, 60, meaning="depth that a program is asked for"),)

    def conversation(self, game, parameters):
        return Asking(game, int(parameters["plies"]))

    def serve(self, engine, read, write):
        """Let an engine of ours answer: `read` returns the next line, `write` sends one."""
        engine.ready()
        player, position = engine.player(), Position(engine.game)
        try:
            while True:
                word, _, rest = read().partition(" ")
                match word:
                    case "hello":
                        write(f"i am {engine.text}")
                    case "new":
                        player.new_game(0, 0)
                    case "position":
                        position = parse_position(engine.game, rest)
                    case "think":
                        write(f"play {engine.game.action_text(player.choose(position).action)}")
                    case "bye":
                        return
                    case _:
                        raise Refused(f"{word!r}; allowed: hello, new, position, think, bye")
        except EOFError:  # the other side has left
            return
        finally:
            player.close()


class Asking(DialogueSession):
    """The referee's side, for one program."""

    def __init__(self, game, plies):
        self.game, self.plies = game, plies

    def greet(self, lines):
        lines.send("hello")
        self.name = lines.receive()[0].removeprefix("i am ")

    def new_game(self, lines, seed, seat):
        lines.send("new")

    def turn(self, lines, position, time_ms):
        lines.send(f"position {position.line()}", f"think {self.plies}")
        answer = lines.receive()[0]
        word, _, text = answer.partition(" ")
        if word != "play":
            raise Refused(f"{answer!r} is no answer; allowed: play ACTION")
        action = self.game.action_of(text)
        if not position.is_legal(action):
            raise Refused(position.why_illegal(action))
        return Move(action)

    def quit(self):
        return ["bye"]
