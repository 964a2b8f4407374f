/** A message on its way to a group, or to the owners of a company. */
export type Post = {
  /** Names this delivery: posting it twice makes one distribution. A UUID, or any other text. */
  id: string;
  /** Reverse path, "" for the null sender. */
  sender: string;
  /** The one address of From, lowercase; null when it has none or several. */
  from: string | null;
  /** Proven by sign-in or API key; null for mail from outside. */
  author: { companyId: string } | null;
  /** DKIM or SPF speaks for the domain of `from` (DMARC), so it can be believed. */
  isFromVerified: boolean;
  /** The whole message, trace fields included, with CRLF line ends. */
  content: Buffer;
  /** Where it came from: an IP address. */
  clientAddress: string | null;
};

/** What became of a post. `refused` is told to whoever hands it over, in the SMTP reply. */
export type Posted =
  | { as: "distributed"; recipients: number }
  /** It waits for a moderator. */
  | { as: "held" }
  /** Taken, and nobody gets it: there are no members, or it is an automatic answer. */
  | { as: "discarded" }
  /** With 4.x.x it may come again later; the text is plain ASCII on one line. */
  | { as: "refused"; enhancedCode: `${4 | 5}.${number}.${number}`; text: string };
