import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

import { SinkLogin } from "./smtp-sink-login.ts";
import type { SinkAction } from "./smtp-sink-script.ts";
import type { SinkRecords, SinkSettings } from "./smtp-sink.ts";
import { ContentReader, findByteFault, unstuffDots } from "./smtp-sink-bytes.ts";

type Transaction = { from: string; parameters: string; recipients: string[] };

/** One connection to the sink, which handles commands one by one. */
export class SinkSession {
  readonly #number: number;
  readonly #settings: SinkSettings;
  readonly #records: SinkRecords;
  #socket: Socket;
  #secure: boolean;
  #input: Buffer = Buffer.alloc(0);
  #content: ContentReader | null = null;
  #transaction: Transaction | null = null;
  #waiting = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #login: SinkLogin;

  constructor(socket: Socket, number: number, settings: SinkSettings, records: SinkRecords) {
    this.#socket = socket;
    this.#secure = socket instanceof TLSSocket;
    this.#number = number;
    this.#settings = settings;
    this.#records = records;
    this.#login = new SinkLogin(settings.auth);
    this.#listen(socket);
    this.#act("CONNECT", "", "220 sink.test ESMTP", () => undefined);
  }

  #listen(socket: Socket) {
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => clearTimeout(this.#timer));
    const { roundTripMs } = this.#settings;
    socket.on("data", (chunk: Buffer) => {
      if (roundTripMs === 0) this.#take(chunk);
      else setTimeout(() => this.#take(chunk), roundTripMs);
    });
  }

  #take(chunk: Buffer) {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
    this.#proceed();
  }

  #proceed() {
    while (!this.#waiting && this.#input.length > 0 && !this.#socket.destroyed) {
      if (!(this.#content ? this.#takeContent(this.#content) : this.#takeCommand())) return;
    }
  }

  #takeCommand(): boolean {
    const end = this.#input.indexOf(10);
    if (end === -1) return false;
    const line = this.#input.toString("utf8", 0, end + 1);
    this.#input = this.#input.subarray(end + 1);
    if (!/^[^\r\n\0]*\r\n$/.test(line))
      this.#violation(`malformed command ${JSON.stringify(line)}`);
    const isLast = !this.#settings.pipelining || /^(DATA|STARTTLS|EHLO)/i.test(line);
    if (isLast && this.#input.length > 0)
      this.#violation(`more bytes came before the answer to ${line.trim()}`);
    if (this.#settings.keep) this.#records.commands.push(line.trimEnd());
    this.#command(line.trimEnd());
    return true;
  }

  #command(line: string) {
    if (this.#login.isOpen) {
      this.#answer(this.#login.take(line));
      return;
    }
    const verb = line.split(/[ :]/, 1)[0]!.toUpperCase();
    const argument = line.slice(verb.length + 1);
    const run = this.#commands[verb];
    if (run) run(argument);
    else this.#act(verb, "", "500 5.5.2 Unknown command", () => undefined);
  }

  readonly #commands: Record<string, (argument: string) => void> = {
    EHLO: () => this.#hello("EHLO"),
    LHLO: () => this.#hello("LHLO"),
    HELO: () => this.#act("HELO", "", "250 sink.test", () => undefined),
    MAIL: (argument) => this.#mail(argument),
    RCPT: (argument) => this.#rcpt(argument),
    DATA: () => this.#startContent(),
    RSET: () => this.#act("RSET", "", "250 2.0.0 OK", () => (this.#transaction = null)),
    NOOP: () => this.#act("NOOP", "", "250 2.0.0 OK", () => undefined),
    STARTTLS: () => this.#act("STARTTLS", "", this.#goAhead(), () => this.#startTls()),
    AUTH: (argument) => this.#act("AUTH", "", this.#login.start(argument), () => undefined),
    QUIT: () => this.#act("QUIT", "", "221 2.0.0 Bye", () => this.#socket.end()),
  };

  #hello(verb: string) {
    const { pipelining, eightBit, size, smtputf8, dsn, auth, tls } = this.#settings;
    const extensions = [
      ...Object.entries({
        PIPELINING: pipelining,
        "8BITMIME": eightBit,
        SMTPUTF8: smtputf8,
        DSN: dsn,
      })
        .filter(([, isOffered]) => isOffered)
        .map(([keyword]) => keyword),
      size === null ? "" : `SIZE ${size}`,
      auth ? `AUTH ${auth.mechanism}` : "",
      tls !== "none" && !this.#secure ? "STARTTLS" : "",
      "ENHANCEDSTATUSCODES",
    ].filter(Boolean);
    const lines = ["sink.test", ...extensions];
    const reply = lines.map((text, at) => `250${at < lines.length - 1 ? "-" : " "}${text}`);
    const refused = this.#settings.ehloRefused || (verb === "LHLO") !== this.#settings.lmtp;
    this.#act(
      verb,
      "",
      refused ? "502 5.5.1 No such command" : reply.join("\r\n"),
      () => undefined,
    );
  }

  #mail(argument: string) {
    const [, from, parameters = ""] = /^FROM:<([^>]*)>\s*(.*)$/i.exec(argument) ?? [];
    if (from === undefined) this.#answer("501 5.5.4 Syntax");
    else if (this.#transaction) this.#answer("503 5.5.1 Nested MAIL");
    else
      this.#act("MAIL", from, "250 2.1.0 OK", () => {
        this.#transaction = { from, parameters, recipients: [] };
      });
  }

  #rcpt(argument: string) {
    const [, to] = /^TO:<([^>]*)>(?: .*)?$/i.exec(argument) ?? [];
    const transaction = this.#transaction;
    if (to === undefined) this.#answer("501 5.5.4 Syntax");
    else if (!transaction) this.#answer("503 5.5.1 MAIL first");
    else this.#act("RCPT", to, "250 2.1.5 OK", () => transaction.recipients.push(to));
  }

  #startContent() {
    const hasRecipients = this.#transaction?.recipients.length;
    const reply = hasRecipients ? "354 Go on" : "554 5.5.1 No valid recipients";
    this.#act("DATA", "", reply, () => (this.#content = new ContentReader()));
  }

  #takeContent(reader: ContentReader): boolean {
    const found = reader.read(this.#input);
    this.#input = found?.rest ?? Buffer.alloc(0);
    if (!found) return false;
    const transaction = this.#transaction!;
    this.#content = this.#transaction = null;
    const fault = findByteFault(found.wire);
    if (fault) this.#violation(`message from ${transaction.from}: ${fault}`);
    const [first] = transaction.recipients;
    if (first === undefined) {
      if (found.wire.length > 0) this.#violation("a message without recipients");
      this.#answer("554 5.5.1 No valid recipients");
      return true;
    }
    const replies = this.#settings.lmtp ? transaction.recipients : [first];
    this.#answerContent(transaction, found.wire, replies);
    return true;
  }

  #answerContent(transaction: Transaction, wire: Buffer, remaining: string[]) {
    const [address, ...later] = remaining;
    if (address === undefined) return;
    const recipients = this.#settings.lmtp ? [address] : transaction.recipients;
    const message = { ...transaction, recipients, secure: this.#secure, session: this.#number };
    this.#act(
      "DOT",
      address,
      "250 2.0.0 Stored",
      () => this.#records.store(message, () => unstuffDots(wire)),
      () => this.#answerContent(transaction, wire, later),
      recipients,
    );
  }

  #goAhead(): string {
    const injected = this.#settings.tls === "injecting" ? "\r\n250 Injected" : "";
    return `220 2.0.0 Go ahead${injected}`;
  }

  #startTls() {
    const plain = this.#socket;
    plain.removeAllListeners("data");
    if (this.#settings.tls === "broken") {
      plain.end("This is not TLS\r\n");
      return;
    }
    const secure = new TLSSocket(plain, { isServer: true, ...this.#settings.certificate });
    this.#secure = true;
    this.#socket = secure;
    this.#transaction = null;
    this.#listen(secure);
  }

  /** Runs the script, then replies and applies the command. */
  #act(
    verb: string,
    address: string,
    reply: string,
    effect: () => unknown,
    after: () => unknown = () => undefined,
    recipients: string[] = this.#transaction?.recipients ?? [],
  ) {
    const where = { session: this.#number, secure: this.#secure };
    const step = { verb, address, recipients, ...where, hasMore: this.#input.length > 0 };
    const action = this.#records.script(step) ?? {};
    const delayMs = action.delayMs ?? this.#settings.replyDelayMs;
    if (delayMs === 0) {
      this.#finish(action, reply, effect, after);
      return;
    }
    this.#waiting = true;
    this.#timer = setTimeout(() => {
      this.#waiting = false;
      this.#finish(action, reply, effect, after);
      this.#proceed();
    }, delayMs);
  }

  #finish(action: SinkAction, reply: string, effect: () => unknown, after: () => unknown) {
    const sent = action.reply ?? reply;
    if (action.drop === "after") effect();
    if (action.drop) this.#socket.destroy();
    if (this.#socket.destroyed) return;
    this.#answer(sent);
    if (/^[23]/.test(sent)) effect();
    if (sent.startsWith("421")) this.#socket.end();
    after();
  }

  #answer(reply: string) {
    this.#socket.write(`${reply}\r\n`);
  }

  #violation(text: string) {
    this.#records.violations.push(`session ${this.#number}: ${text}`);
  }
}
