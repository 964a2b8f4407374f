/** The API reference's introduction to templates. Paragraphs are separated by empty lines. */
export const TEMPLATE_GUIDE = [
  'A template is stored content that is filled in for each email. Send it with `"template": { "id": "order-shipped", "variables": { "ORDER": 1042 } }` in place of `html` and `text`, in `POST /emails` and in `POST /emails/batch`. `id` is the template\'s ID or its alias.',
  "Write variables as `{{{NAME}}}` in subject, html and text, and list them in `variables` with a type and an optional fallback value. The names `FIRST_NAME`, `LAST_NAME`, `EMAIL`, `UNSUBSCRIBE_URL`, `RESEND_UNSUBSCRIBE_URL`, `contact` and `this` are reserved.",
  "Values are inserted as they are, also into HTML: escape what users have entered. An email without a value for a variable that has no fallback is rejected (422), as is one whose template isn't published.",
  "Changes are drafts: emails use the published version until you publish again. The content of an email is fixed when it is accepted, even if it is scheduled.",
].join("\n\n");
