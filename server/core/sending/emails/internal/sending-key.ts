/** The API key that a call was made with, as far as sending depends on it. */
export type SendingKey = {
  keyId: string;
  companyId: string;
  /** The only domain the key may send from, or null for all. */
  domainId: string | null;
};
