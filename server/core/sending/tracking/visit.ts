/** A reader's program asking for what an email held: its tracking image, or one of its links. */
export type Visit = {
  emailId: string;
  ipAddress: string;
  /** As the program names itself; null when it does not. */
  userAgent: string | null;
} & ({ type: "opened"; link: null } | { type: "clicked"; link: string });
