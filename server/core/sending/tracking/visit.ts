/** A reader's request for an email's tracking image or for a tracked link. */
export type Visit = {
  emailId: string;
  ipAddress: string;
  /** Null if the client sent none. */
  userAgent: string | null;
} & ({ type: "opened"; link: null } | { type: "clicked"; link: string });
