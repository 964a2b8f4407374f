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

/** The content of a notice whose footer says where to turn it off. */
export type NoticeContent = Omit<NoticeText, "footer">;
