/** The API key of a request. */
export type SendingKey = {
  keyId: string;
  companyId: string;
  /** The only domain the key can send from; null for all. */
  domainId: string | null;
  /** Whether its emails are test emails. */
  isTest: boolean;
};
