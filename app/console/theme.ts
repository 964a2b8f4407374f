import { createTheme, type CSSVariablesResolver } from "@mantine/core";

/** Neutral grays, and one accent color for interactive elements. Semantic colors are below. */
export const theme = createTheme({
  black: "#1b1b20",
  primaryColor: "violet",
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.25rem" },
  lineHeights: { xs: "1.334", sm: "1.54", md: "1.429", lg: "1.5", xl: "1.4" },
  spacing: { xs: "0.5rem", sm: "0.75rem", md: "1rem", lg: "1.5rem", xl: "2rem" },
  radius: { xs: "0.125rem", sm: "0.25rem", md: "0.375rem", lg: "0.5rem", xl: "0.75rem" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.25rem", lineHeight: "1.4" },
      h2: { fontSize: "0.9375rem", lineHeight: "1.6" },
      h3: { fontSize: "0.875rem", lineHeight: "1.43" },
    },
  },
  colors: {
    gray: [
      ...(["#fafafb", "#f4f4f6", "#e7e7eb", "#d8d8de", "#bfbfc8"] as const),
      ...(["#92929d", "#62626c", "#4b4b54", "#303037", "#1b1b20"] as const),
    ],
    dark: [
      ...(["#ececf1", "#c2c2cb", "#a0a0ab", "#74747f", "#393940"] as const),
      ...(["#2e2e34", "#232328", "#141417", "#101013", "#0b0b0d"] as const),
    ],
    violet: [
      ...(["#f3f1fd", "#e5e0fa", "#cbc2f4", "#b0a3ee", "#9886e6"] as const),
      ...(["#826cdc", "#6e57cf", "#5b45bd", "#4a38a0", "#3a2d7e"] as const),
    ],
  },
  components: {
    Button: { defaultProps: { size: "sm" } },
    TextInput: { defaultProps: { size: "md" } },
    PasswordInput: { defaultProps: { size: "md" } },
    Textarea: { defaultProps: { size: "md" } },
    // Opens in the page's main landmark, with the first item focused.
    Menu: { defaultProps: { portalProps: { target: "main" }, withInitialFocusPlaceholder: false } },
    Modal: {
      defaultProps: {
        centered: true,
        closeButtonProps: { "aria-label": "Close" },
        // Each page has only one banner landmark; on phones it is the header.
        attributes: { header: { role: "presentation" } },
      },
      // Lighter than the page in the dark theme, like all raised surfaces.
      styles: {
        content: { background: "var(--surface)" },
        header: { background: "var(--surface)" },
        title: {
          fontSize: "var(--mantine-font-size-lg)",
          fontWeight: 600,
          lineHeight: 1.4,
          minWidth: 0,
          overflowWrap: "anywhere",
        },
      },
    },
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] },
    },
  },
});

/** Semantic colors. The four status colors are used only for their status, always next to a label. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-error": "#c22f2f",
    "--mantine-color-anchor": "#5239b3",
    "--surface": "#ffffff",
    "--surface-sunken": "#fafafb",
    "--surface-hover": "#f4f4f6",
    "--line": "#e7e7eb",
    "--focus": "var(--mantine-color-violet-7)",
    "--status-done": "#1f8f55",
    "--status-waiting": "#c27803",
    "--status-failed": "#d03838",
    "--status-info": "#2a74d0",
    "--status-none": "#92929d",
  },
  dark: {
    "--mantine-color-error": "#f58282",
    "--mantine-color-anchor": "#b9acf5",
    "--surface": "#19191d",
    "--surface-sunken": "#101013",
    "--surface-hover": "#232328",
    "--line": "#2e2e34",
    "--focus": "var(--mantine-color-violet-4)",
    "--status-done": "#3cb877",
    "--status-waiting": "#e2a336",
    "--status-failed": "#ef6b6b",
    "--status-info": "#5ca4f2",
    "--status-none": "#8a8a95",
  },
});
