/** Setup steps for a mail app; `{address}` is replaced with the mailbox's address. */
export type App = { name: string; steps: string[]; hasProfile?: true };

export const APPS: [App, ...App[]] = [
  {
    name: "Outlook",
    steps: [
      "Open File, then Add Account. In the new Outlook: Settings, Accounts, Add account.",
      "Enter {address} and choose Connect. Outlook finds the settings automatically.",
      "Enter your password when asked.",
      "If asked for the account type, choose IMAP and enter the settings below.",
    ],
  },
  {
    name: "Thunderbird",
    steps: [
      "Open the menu, then New Account, Email.",
      "Enter your name, {address}, and your password, and choose Continue.",
      "Thunderbird finds the settings. Choose IMAP, then Done.",
    ],
  },
  {
    name: "Apple Mail",
    hasProfile: true,
    steps: [
      "Download the profile on your iPhone, iPad, or Mac.",
      "Open Settings. The profile is at the top; on a Mac, it’s under General, Device Management.",
      "Choose Install and enter your password when asked.",
      "Without the profile: Settings, Apps, Mail, Mail Accounts, Add Account, Other, and the settings below.",
    ],
  },
  {
    name: "Android",
    steps: [
      "In Gmail: your profile picture, Add another account, Other. In other apps: add an account.",
      "Enter {address}, choose Personal (IMAP), and enter your password.",
      "When asked, enter the servers below and choose SSL/TLS as the security type.",
    ],
  },
  {
    name: "Other apps",
    steps: [
      "Add an account with {address}; many apps find the settings automatically.",
      "If yours doesn’t, choose IMAP and enter the settings below.",
    ],
  },
];
