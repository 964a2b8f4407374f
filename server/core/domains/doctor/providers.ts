/** A company that runs name servers, and what its customers have to know. */
export type DnsProvider = {
  name: string;
  /** Where records are entered, in the words of its pages. */
  where: string;
  /** How the host is written there: what stands before the domain, or the whole name. */
  hostField: "relative" | "full";
  /** What is entered for the domain itself. */
  apex: string;
  /** What else goes wrong there. */
  quirks: string[];
};
