import { isIPv6 } from "node:net";

import type { Logger } from "pino";

import type { OutboundSource } from "#server/config.ts";
import { hasReverseName } from "#server/core/operations/system-checks/check-reverse-dns.ts";
import { readOutboundNames } from "#server/core/platform/settings/change-setting.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { outgoingAddresses } from "#server/gateways/outgoing-address.ts";

const REVERSE_DNS_EVERY_MS = 15 * 60_000;

/** How this server appears to others. */
export type Source = {
  /** For EHLO. */
  name: string;
  /** The address that connections come from. Undefined: the system chooses; null: the protocol isn't used. */
  ipv4: string | null | undefined;
  ipv6: string | null | undefined;
  /** The system has IPv6 addresses only, as far as known. */
  isWithoutIpv4?: boolean;
  /** Limits, connections and warm-ups are kept for each source: this is part of their keys. Empty for the default. */
  suffix: string;
};

/** What decides which source a message has. */
export type MessageSender = { companyId?: string; domain?: string | null };

type Options = {
  db: Db;
  hostname: string;
  /** `POSTHOUSE_OUTBOUND_ADDRESSES`. */
  configured: OutboundSource[];
  localMode: boolean;
  resolver: Pick<Resolver, "a" | "aaaa" | "resolve">;
  log: Logger;
  /** The addresses that the system chooses, if known. */
  outgoing?: () => Promise<string[]>;
};

/** The only source of a server without configured ones. */
export const systemSource = (hostname: string): Source => ({
  name: hostname,
  ipv4: undefined,
  ipv6: undefined,
  suffix: "",
});

/** Assigns sources to messages: by domain, by company, or else the first one. */
export class Sources {
  readonly #options: Options;
  readonly #sources = new Map<string, Source>();
  readonly #default: Source;
  /** By domain or company id. */
  #assigned = new Map<string, Source>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: Options) {
    const { configured, hostname } = options;
    this.#options = options;
    for (const [at, { name, ipv4, ipv6 }] of configured.entries())
      this.#sources.set(name, { name, ipv4, ipv6, suffix: at === 0 ? "" : ` from ${name}` });
    const [first] = this.#sources.values();
    this.#default = first ?? systemSource(hostname);
    if (!first) this.#sources.set(hostname, this.#default);
    // Until its reverse DNS was checked.
    if (!options.localMode) for (const source of this.#sources.values()) source.ipv6 = null;
  }

  async start(): Promise<void> {
    await this.refresh();
    if (this.#options.localMode) return;
    void this.checkReverseDns();
    this.#timer = setInterval(() => void this.checkReverseDns(), REVERSE_DNS_EVERY_MS).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  of({ companyId = "", domain }: MessageSender): Source {
    if (this.#assigned.size === 0) return this.#default;
    return this.#assigned.get(domain ?? "") ?? this.#assigned.get(companyId) ?? this.#default;
  }

  /** Large receivers reject mail over IPv6 without a matching PTR record, so it is used only with one. */
  async checkReverseDns(): Promise<void> {
    const { configured, outgoing = outgoingAddresses, log } = this.#options;
    try {
      const chosen = configured.length > 0 ? [] : await outgoing();
      for (const source of this.#sources.values()) await this.#checkSource(source, chosen);
    } catch (err) {
      log.warn({ err }, "could not check the reverse DNS of the outgoing addresses");
    }
  }

  /** @param chosen the addresses that the system chooses */
  async #checkSource(source: Source, chosen: string[]): Promise<void> {
    const { configured, resolver } = this.#options;
    const own = configured.find(({ name }) => name === source.name);
    const address = own ? own.ipv6 : chosen.find((one) => isIPv6(one));
    const isRight = address ? await hasReverseName(resolver, source.name, address) : false;
    // Null: the lookup failed.
    if (isRight !== null) source.ipv6 = isRight ? own?.ipv6 : null;
    source.isWithoutIpv4 = chosen.length > 0 && chosen.every(isIPv6);
  }

  /** Reads the settings. Never fails. */
  async refresh(): Promise<void> {
    const { db, log } = this.#options;
    try {
      const { outbound_names: setting } = await currentSettings(db);
      this.#assigned = new Map(
        readOutboundNames(setting).flatMap(([sender, name]) => {
          const source = this.#sources.get(name);
          return source ? [[sender, source] as const] : [];
        }),
      );
    } catch (err) {
      log.warn({ err }, "could not read which addresses mail is sent from");
    }
  }
}
