/** Templates per company. */
export const TEMPLATES_MAX = 300;

/** Versions kept of a template: older ones are deleted when a new one is published. */
export const VERSIONS_KEPT = 20;

/** Bytes of html and text of all versions of a company's templates. */
export const STORED_MAX = 100_000_000;

/** Characters of a template's html and text. */
export const CONTENT_MAX = 500_000;

export const VARIABLES_MAX = 50;

/** How often a template's subject, html and text may use variables, in total. */
export const VARIABLE_USES_MAX = 5_000;

/** Characters of a string value. */
export const VALUE_MAX = 2_000;

/** Characters of html and text that the templates of one request may produce, like the size of a request body. */
export const RENDERED_MAX = 30 * 1024 * 1024;

/** Characters of html and text of all templates that one request may use: they are in memory at the same time. */
export const LOADED_MAX = 10_000_000;
