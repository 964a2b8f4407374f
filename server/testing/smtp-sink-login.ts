import type { SinkSettings } from "./smtp-sink.ts";

type Credentials = NonNullable<SinkSettings["auth"]>;

/** AUTH PLAIN with the initial response, and AUTH LOGIN line by line. */
export class SinkLogin {
  readonly #expected: Credentials | null;
  #given: string[] | null = null;

  constructor(expected: Credentials | null) {
    this.#expected = expected;
  }

  /** Whether the next line belongs to the login instead of being a command. */
  get isOpen(): boolean {
    return this.#given !== null;
  }

  start(argument: string): string {
    const [mechanism, initial] = argument.split(" ");
    if (mechanism === "LOGIN") {
      this.#given = [];
      return "334 VXNlcm5hbWU6";
    }
    const [, user, pass] = decode(initial ?? "").split("\0");
    return this.#judge(user, pass);
  }

  take(line: string): string {
    const [user] = this.#given ?? [];
    this.#given = user === undefined ? [decode(line)] : null;
    return user === undefined ? "334 UGFzc3dvcmQ6" : this.#judge(user, decode(line));
  }

  #judge(user?: string, pass?: string): string {
    const isRight = user === this.#expected?.user && pass === this.#expected?.pass;
    return isRight ? "235 2.7.0 Welcome" : "535 5.7.8 Wrong password";
  }
}

const decode = (text: string): string => Buffer.from(text, "base64").toString();
