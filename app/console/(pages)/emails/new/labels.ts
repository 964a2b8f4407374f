/** The form's fields in sentences. */
export const LABELS = {
  ...{ name: "Sender name", local: "Address", domain: "Domain", from: "Sender", to: "To" },
  ...{ cc: "Cc", bcc: "Bcc", reply_to: "Reply-To", subject: "Subject", template: "Template" },
  ...{ variables: "Variables", text: "Content", html: "Content", attachments: "Attachments" },
  ...{ scheduled_at: "Send time", tags: "Tags" },
};
