/**
 * Normalizes a column's heading, which exports write differently: `EmailAddress` and `Email Address [Required]` become
 * `email_address`.
 */
export const plainHeading = (heading: string): string =>
  heading
    .replaceAll(/\[.*?\]/g, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, "_")
    .replaceAll(/^_|_$/g, "");
