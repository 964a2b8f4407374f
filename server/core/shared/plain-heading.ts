/**
 * A column's heading without the ways in which exports write it: `EmailAddress` and `Email Address [Required]` as
 * `email_address`.
 */
export const plainHeading = (heading: string): string =>
  heading
    .replaceAll(/\[.*?\]/g, "")
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, "_")
    .replaceAll(/^_|_$/g, "");
