// A complete bot for any game in JavaScript (node, no packages): it plays a random legal action, or the
// first one. Its one parameter: --first 0.3 plays the first action in three of ten turns.
"use strict";

const words = process.argv.slice(2);
if (words.length && (words.length !== 2 || words[0] !== "--first")) {
  console.error(`${words[0]}: allowed is --first NUMBER`);
  process.exit(2);
}
const first = Number(words[1] ?? 0);
let state = 1;

function random() { // xorshift32, so that a seed gives the same game again
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "new") { // game, players, player (our seat), seed, parameters
    state = (message.seed % 2 ** 32 | 0) || 1;
  } else if (message.type === "turn") { // moves since our last turn, actions, time_ms
    const actions = message.actions;
    const i = random() < first ? 0 : Math.floor(random() * actions.length);
    process.stdout.write(JSON.stringify({ action: actions[i] }) + "\n");
  } else if (message.type === "quit") {
    process.exit(0);
  }
});
