type Kind = "spam" | "ham";

/** A mailbox user may move a thousand messages at once. Messages beyond the limits are not learned. */
const BYTES_MAX = 32 * 1024 * 1024;
const MESSAGES_MAX = 2_000;

/** Learns messages one at a time. In memory only, since nothing important is lost. */
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
    /** Called once per failure: the rest of the queue is dropped. */
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
