/** The form's fields in sentences. */
export const LABELS = {
  name: "Sender name",
  local: "Address",
  domain: "Domain",
  from: "Sender",
  to: "To",
  cc: "Cc",
  bcc: "Bcc",
  replyTo: "Reply-To",
  subject: "Subject",
  template: "Template",
  variables: "Variables",
  text: "Content",
  html: "Content",
  attachments: "Attachments",
  scheduledAt: "Send time",
  tags: "Tags",
};
