// Patches the database driver (postgres 3.4.9): its reconnect bugs, and which connection it takes. npm runs this
// after each installation; it needs only Node.js.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(import.meta.url);
const PACKAGE = join(dirname(FILE), "../../../node_modules/postgres/src");

/** @type {{ file: string, before: string, after: string }[]} */
const REPAIRS = [
  // A write that waits when the connection closes is canceled but still counts as scheduled, so the next
  // connection never sends its first message and hangs until connect_timeout.
  {
    file: "connection.js",
    before: "    clearImmediate(nextWriteTimer)\n    if (socket) {",
    after:
      "    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    if (socket) {",
  },
  {
    file: "connection.js",
    before: "    clearImmediate(nextWriteTimer)\n    socket.removeListener('data', data)",
    after:
      "    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    socket.removeListener('data', data)",
  },
  // A statement sent between a connection's error and its close is never answered.
  {
    file: "connection.js",
    before: "    !hadError && (query || sent.length) && error(",
    after: "    ;(query || sent.length) && error(",
  },
  // The array types are read when a connection opens. If that fails, the connection has closed too, and reads them again.
  {
    file: "connection.js",
    before: "        return fetchArrayTypes()\n",
    after: "        return fetchArrayTypes().catch(() => {})\n",
  },
  // A transaction whose connection was lost continues with its next statement: without a socket it throws
  // an uncatchable error, and on a reopened connection it runs outside any transaction.
  {
    file: "index.js",
    before: "    let savepoints = 0\n      , connection\n",
    after: "    let savepoints = 0\n      , connection\n      , reservation\n",
  },
  {
    file: "index.js",
    before: "        q.catch(e => uncaughtError || (uncaughtError = e))\n        c.queue === full",
    after:
      "        q.catch(e => uncaughtError || (uncaughtError = e))\n" +
      "        if (c.reserved !== reservation)\n" +
      "          return q.reject(Errors.generic('CONNECTION_CLOSED', 'The transaction lost its connection'))\n" +
      "        c.queue === full",
  },
  {
    file: "index.js",
    before:
      "        ? c.execute(queries.shift())\n        : move(c, reserved)\n    }\n  }\n\n  function move",
    after:
      "        ? c.execute(queries.shift())\n        : move(c, reserved)\n" +
      "      reservation = c.reserved\n    }\n  }\n\n  function move",
  },
  // The driver takes the connection that was idle longest, so a query a second keeps all of a pool's
  // connections open for good. Take the one used last, and let the others reach idle_timeout.
  {
    file: "queue.js",
    before: "    push: (x) => (xs.push(x), x),\n",
    after:
      "    push: (x) => (xs.push(x), x),\n" +
      "    pop: () => xs.length > index ? xs.pop() : undefined,\n",
  },
  {
    file: "index.js",
    before: "      return go(open.shift(), query)",
    after: "      return go(open.pop(), query)",
  },
  {
    file: "index.js",
    before: "      ? open.shift()\n",
    after: "      ? open.pop()\n",
  },
  // The driver opens a connection for each query that finds the others busy, so timers that fire together keep many open.
  // Opening one takes about 20 ms and 5 MB: first wait 50 ms for another to become free.
  {
    file: "index.js",
    before: "  let ending = false\n",
    after: "  let ending = false\n    , opening = null\n",
  },
  {
    file: "index.js",
    before: "    if (closed.length)\n      return connect(closed.shift(), query)\n",
    after:
      "    if (closed.length) {\n" +
      "      if (busy.length + full.length + reserved.length + connecting.length === 0)\n" +
      "        return connect(closed.shift(), query)\n" +
      "      opening = opening || setTimeout(openMore, 50)\n" +
      "      return queries.push(query)\n" +
      "    }\n",
  },
  {
    file: "index.js",
    before: "  function go(c, query) {",
    after:
      "  function openMore() {\n" +
      "    clearTimeout(opening)\n" +
      "    opening = null\n" +
      "    for (let left = queries.length; left > 0 && closed.length; left--) {\n" +
      "      const query = queries.shift()\n" +
      "      query.reserve ? queries.push(query) : connect(closed.shift(), query)\n" +
      "    }\n" +
      "  }\n\n" +
      "  function go(c, query) {",
  },
  {
    file: "index.js",
    before: "    await 1\n    let timer\n",
    after: "    await 1\n    openMore()\n    let timer\n",
  },
  // A free connection would take all waiting queries, one after the other. While others can still be opened, it takes one.
  {
    file: "index.js",
    before: "    let max = Math.ceil(queries.length / (connecting.length + 1))",
    after: "    let max = closed.length ? 1 : Math.ceil(queries.length / (connecting.length + 1))",
  },
];

/**
 * Applies the missing patches. Safe to call at any time, even by several processes at once.
 *
 * @throws Error if the driver isn't the version that the patches were made for
 */
export function patchPostgres(folder = PACKAGE) {
  for (const file of new Set(REPAIRS.map((repair) => repair.file))) {
    const path = join(folder, file);
    const found = readFileSync(path, "utf8");
    let text = found;
    for (const { before, after } of REPAIRS.filter((repair) => repair.file === file)) {
      if (text.includes(after)) continue;
      if (!text.includes(before))
        throw new Error(`${path} is not the version that patch-postgres.mjs patches`);
      text = text.replace(before, () => after);
    }
    if (text !== found) replaceFile(path, text);
  }
}

/** Replaces a file atomically, so that no other process loads half of it. */
function replaceFile(path, text) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

// npx links a new clone without its packages, which the bootstrap then installs and patches.
if (process.argv[1] === FILE && existsSync(PACKAGE)) patchPostgres();
