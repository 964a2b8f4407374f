type Kind = "spam" | "ham";

/** A person may move a thousand messages at once; what does not fit is not learned. */
const BYTES_MAX = 32 * 1024 * 1024;
const MESSAGES_MAX = 2_000;

/** Has messages learned one after the other, in memory only: what is lost costs nothing. */
export class LearningQueue {
  readonly #learn: (kind: Kind, content: Buffer) => Promise<void>;
  readonly #onProblem: (error: unknown) => void;
  #waiting: { kind: Kind; content: Buffer }[] = [];
  #bytes = 0;
  #isRunning = false;

  constructor({
    learn,
    onProblem,
  }: {
    learn: (kind: Kind, content: Buffer) => Promise<void>;
    /** Told once for all that wait: when one fails the others are dropped. */
    onProblem: (error: unknown) => void;
  }) {
    this.#learn = learn;
    this.#onProblem = onProblem;
  }

  add(kind: Kind, content: Buffer): void {
    if (this.#waiting.length >= MESSAGES_MAX || this.#bytes + content.length > BYTES_MAX) return;
    this.#waiting.push({ kind, content });
    this.#bytes += content.length;
    if (!this.#isRunning) void this.#run();
  }

  stop(): void {
    this.#waiting = [];
    this.#bytes = 0;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#bytes -= next.content.length;
      try {
        await this.#learn(next.kind, next.content);
      } catch (error) {
        this.stop();
        this.#onProblem(error);
      }
    }
    this.#isRunning = false;
  }
}
