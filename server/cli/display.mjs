/**
 * Shows the progress of a command, one line a step: in a terminal a spinner while it runs, then a check mark
 * and its duration. Plain JavaScript, since the bootstrap runs before anything is installed.
 */

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
/** On a pipe, only steps that take longer than this are announced as running. */
const SLOW_MS = 3_000;

/**
 * A message as shown on a terminal: without the backticks that mark commands, which the console shows as code.
 *
 * @param {string} text
 */
export const terminalText = (text) => text.replaceAll(/`([^`\n]+)`/g, "$1");

export class Display {
  #stream;
  #live;
  #color;
  /** @type {Set<{ title: string, startedAt: number }>} */
  #running = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #frame = 0;
  #shown = new WeakSet();
  #abandoned = false;

  /** @param {NodeJS.WriteStream} stream */
  constructor(stream = process.stdout) {
    this.#stream = stream;
    this.#live = Boolean(stream.isTTY) && process.env.TERM !== "dumb";
    this.#color = this.#live && !process.env.NO_COLOR;
  }

  /** Whether the output is a terminal, not a pipe or a file. */
  get isLive() {
    return this.#live;
  }

  /**
   * Runs one step. `work` may return a result to show after the title. If it throws, the reason is shown and the
   * error rethrown.
   *
   * @param {string} title
   * @param {() => Promise<string | void>} work
   * @returns {Promise<void>}
   */
  async step(title, work) {
    const entry = { title, startedAt: performance.now() };
    this.#begin(entry);
    try {
      const found = await work();
      this.#end(entry);
      if (this.#abandoned) return;
      this.line(`${this.green("✓")} ${title}${found ? `: ${found}` : ""} ${this.#time(entry)}`);
    } catch (error) {
      this.#end(entry);
      if (!this.#abandoned && !this.wasShown(error))
        this.failure(`${title}: ${terminalText(reasonOf(error))}`);
      if (error instanceof Error) this.#shown.add(error);
      throw error;
    }
  }

  /** Drops the steps that are still running, without showing how they end. */
  abandonSteps() {
    this.#erase();
    this.#abandoned = true;
    this.#running.clear();
    clearInterval(this.#timer);
  }

  /** Whether a step has already shown this error. @param {unknown} error */
  wasShown(error) {
    return error instanceof Error && this.#shown.has(error);
  }

  /** @param {string} text */
  line(text = "") {
    this.#erase();
    this.#stream.write(`${text}\n`);
    this.#draw();
  }

  /** @param {string} text */
  failure(text) {
    this.line(`${this.red("✗")} ${text}`);
  }

  /** @param {string} text */
  warning(text) {
    this.line(`${this.yellow("!")} ${text}`);
  }

  /** @param {string} text */
  green(text) {
    return this.#paint(32, text);
  }

  /** @param {string} text */
  yellow(text) {
    return this.#paint(33, text);
  }

  /** @param {string} text */
  red(text) {
    return this.#paint(31, text);
  }

  /** @param {string} text */
  bold(text) {
    return this.#paint(1, text);
  }

  /** @param {string} text */
  faint(text) {
    return this.#paint(2, text);
  }

  /** @param {number} code @param {string} text */
  #paint(code, text) {
    return this.#color ? `\x1b[${code}m${text}\x1b[0m` : text;
  }

  /** @param {{ startedAt: number }} entry */
  #time({ startedAt }) {
    return this.faint(`(${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  }

  /** @param {{ title: string, startedAt: number }} entry */
  #begin(entry) {
    if (this.#abandoned) return;
    this.#running.add(entry);
    if (this.#live) {
      this.#timer ??= setInterval(() => this.#turn(), FRAME_MS);
      this.#draw();
      return;
    }
    const slow = setTimeout(() => {
      if (this.#running.has(entry)) this.#stream.write(`… ${entry.title}\n`);
    }, SLOW_MS);
    slow.unref();
  }

  /** @param {{ title: string, startedAt: number }} entry */
  #end(entry) {
    this.#erase();
    this.#running.delete(entry);
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #turn() {
    this.#frame = (this.#frame + 1) % FRAMES.length;
    this.#erase();
    this.#draw();
  }

  #draw() {
    if (!this.#live || this.#running.size === 0) return;
    const seconds = Math.max(
      ...[...this.#running].map(({ startedAt }) => (performance.now() - startedAt) / 1000),
    );
    const titles = [...this.#running].map(({ title }) => title).join(", ");
    const text = `${FRAMES[this.#frame]} ${titles} ${seconds.toFixed(0)} s`;
    this.#stream.write(text.slice(0, (this.#stream.columns || 80) - 1));
  }

  #erase() {
    if (this.#live && this.#running.size > 0) this.#stream.write("\r\x1b[2K");
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  return error instanceof Error ? error.message : String(error);
}
