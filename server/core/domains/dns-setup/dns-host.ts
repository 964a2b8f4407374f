/** A record in a zone at a DNS provider. */
export type HostedRecord = {
  /** The provider's; null if it only has sets of records. */
  id: string | null;
  /** In full, lowercase, without a trailing dot. */
  name: string;
  type: string;
  /** TXT: the text without quotes. MX and CNAME: the host, lowercase, without a trailing dot. */
  value: string;
  /** MX only. */
  priority: number | null;
  /** As the provider writes it, to send unchanged records back verbatim. */
  raw: string;
};

/** All records of a name and type, before and after a change. */
export type SetChange = {
  name: string;
  type: "TXT" | "MX" | "CNAME";
  before: HostedRecord[];
  /** Records that stay as they are. */
  kept: HostedRecord[];
  added: { value: string; priority: number | null };
};

/** A zone at a DNS provider, opened with a customer's token. */
export type HostedZone = {
  name: string;
  /**
   * All records of the zone, of any type.
   *
   * @throws DnsHostFailure
   */
  list(): Promise<HostedRecord[]>;
  /**
   * Replaces the records of a name and type by `kept` and `added`.
   *
   * @throws DnsHostFailure
   */
  write(change: SetChange): Promise<void>;
};

export type DnsHost = {
  /**
   * Opens the first of these zones that the account has; null if it has none.
   *
   * @param names a domain and its parents, longest first
   * @throws DnsHostFailure
   */
  openZone(names: string[]): Promise<HostedZone | null>;
};

export type FailureKind =
  "credentials" | "rate_limit" | "unavailable" | "rejected" | "zone_too_large";

/** A DNS provider's API failed. Never contains what was sent or received, which may include credentials. */
export class DnsHostFailure extends Error {
  override name = "DnsHostFailure";
  readonly kind: FailureKind;

  /** @param detail an HTTP status or a short code */
  constructor(kind: FailureKind, detail: string) {
    super(`The DNS provider failed: ${kind} (${detail})`);
    this.kind = kind;
  }
}
