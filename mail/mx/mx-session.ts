import { setTimeout as delay } from "node:timers/promises";

import type { SMTPServerAddress, SMTPServerSession } from "smtp-server";

import { readReversePath } from "#server/core/shared/addresses/reverse-path.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { findListing } from "#server/core/mail/spam/find-listing.ts";

import type { Room } from "./collect-message.ts";
import { checkParameters, MAIL_PARAMETERS } from "./check-parameters.ts";
import type { Door, Incoming, Taker } from "./door.ts";
import type { Limits } from "./limits.ts";
import { wideNetworkOf } from "./networks.ts";
import { onData } from "./on-data.ts";
import { NobodyHere, onRcptTo } from "./on-rcpt-to.ts";
import { SmtpReply } from "./smtp-reply.ts";

/** Refused recipients of one connection: who asks on is guessing names. */
const REFUSALS_MAX = 10;
const TARPIT_STEPS_MAX = 5;

/** One connection of another mail server, and what we think of it. */
export class MxSession {
  readonly network: string | null;
  readonly #door: Door;
  readonly #limits: Limits;
  readonly #session: SMTPServerSession;
  readonly #listing: Promise<string | null>;
  readonly #takers = new Map<string, Taker>();
  #refusals = 0;

  /** @throws SmtpReply for a network that has enough */
  constructor(
    session: SMTPServerSession,
    { door, limits, close }: { door: Door; limits: Limits; close: (reply: SmtpReply) => void },
  ) {
    this.#door = door;
    this.#limits = limits;
    this.#session = session;
    this.network = limits.networkOf(session.remoteAddress);
    if (this.network !== null) limits.guesses.check(this.network);
    limits.connections.enter(this, {
      network: this.network,
      wideNetwork: wideNetworkOf(session.remoteAddress),
      end: close,
    });
    this.#listing = findListingOf(door, session.remoteAddress);
  }

  /** Gives its place to another. */
  end(): void {
    this.#limits.connections.leave(this);
  }

  /** @throws SmtpReply */
  mailFrom(sender: SMTPServerAddress): void {
    checkParameters(sender, MAIL_PARAMETERS);
    if (readReversePath(sender.address) === null)
      throw new SmtpReply(553, "5.1.7", "The sender's address cannot be used in a reply");
    if (this.network !== null) this.#limits.rate.count(this.network);
  }

  /**
   * Who asks for somebody that is not here waits for the answer, longer each time.
   *
   * @throws SmtpReply
   */
  async rcptTo(recipient: SMTPServerAddress): Promise<void> {
    await this.#limits.connections.whileWorking(this, () => this.#judge(recipient));
  }

  async #judge(recipient: SMTPServerAddress): Promise<void> {
    checkParameters(recipient, []);
    try {
      const client = { clientAddress: this.#session.remoteAddress, sender: this.#sender() };
      const taker = await onRcptTo(this.#door, recipient.address, {
        ...client,
        listing: this.#listing,
      });
      this.#takers.set(recipient.address, taker);
    } catch (error) {
      if (!(error instanceof NobodyHere)) throw error;
      if (this.network !== null) this.#limits.guesses.count(this.network);
      await delay(Math.min(this.#refusals++, TARPIT_STEPS_MAX) * this.#limits.tarpitStepMs);
      throw this.#refusals > REFUSALS_MAX
        ? new SmtpReply(421, "4.7.0", "Too many recipients that are not here")
        : error;
    }
  }

  /** The message that is to come, for those recipients that were taken. */
  incoming(): Incoming {
    const { remoteAddress, hostNameAppearsAs, transmissionType, id, transaction, envelope } =
      this.#session;
    const takers = envelope.rcptTo.map(({ address }) => this.#takers.get(address)!);
    this.#takers.clear();
    return {
      ...{ sender: this.#sender(), helo: hostNameAppearsAs, clientAddress: remoteAddress, takers },
      ...{ protocol: transmissionType, id: `${id}.${transaction}` },
    };
  }

  /** Memory reserved for the incoming message. */
  room(): Room {
    const onPiece = (bytes: number) => this.#limits.connections.receive(this, bytes);
    return { memory: this.#limits.memory, owner: this.network, onPiece };
  }

  /**
   * Takes a message in. If it is clean, the sender's network can use the reserved connections from then on.
   *
   * @throws SmtpReply
   */
  async take(content: Buffer, incoming: Incoming): Promise<void> {
    const { connections } = this.#limits;
    const { isClean } = await connections.whileWorking(this, () =>
      onData(content, incoming, this.#door),
    );
    if (isClean) connections.trust(this);
  }

  #sender(): string {
    const { mailFrom } = this.#session.envelope;
    return (mailFrom && readReversePath(mailFrom.address)) || "";
  }
}

/** Null too when nobody can be asked: a list is no reason to lose mail. */
async function findListingOf({ db, resolver, log }: Door, address: string): Promise<string | null> {
  try {
    const { dnsbl_zones: zones } = await currentSettings(db);
    return zones === "none" ? null : await findListing(resolver, address, zones.split(","));
  } catch (error) {
    log.warn({ err: error }, "no blocklist could be asked");
    return null;
  }
}
