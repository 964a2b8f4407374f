/** The content of a notice. Paragraphs are plain text. */
export type NoticeText = {
  subject: string;
  paragraphs: string[];
  /** Lines with fixed-width characters, below the paragraphs. */
  listing?: string;
  /** Null for people who can't sign in. */
  link: { label: string; url: string } | null;
  /** Why the admin receives it. */
  footer: string;
};

/** The footer of notices to all owners. */
export const OWNER_FOOTER =
  "You’re receiving this email because you’re an owner of the company on this Posthouse appliance.";
