/** How one mail app is set up, step by step; `{address}` stands for the person's. */
export type App = { name: string; steps: string[]; hasProfile?: true };

export const APPS: [App, ...App[]] = [
  {
    name: "Outlook",
    steps: [
      "Open File, then Add Account. In the new Outlook: Settings, Accounts, Add account.",
      "Enter {address} and choose Connect. Outlook finds the settings by itself.",
      "Enter the password when it asks.",
      "If it asks for the kind of account, choose IMAP and enter the settings below.",
    ],
  },
  {
    name: "Thunderbird",
    steps: [
      "Open the menu, then New Account, Email.",
      "Enter your name, {address} and the password, and choose Continue.",
      "Thunderbird has found the settings: choose IMAP, then Done.",
    ],
  },
  {
    name: "Apple Mail",
    hasProfile: true,
    steps: [
      "Get the profile on the iPhone, iPad or Mac itself.",
      "Open Settings: the profile waits there at the top, on a Mac under General, Device Management.",
      "Choose Install and enter the password when it asks.",
      "Without the profile: Settings, Apps, Mail, Mail Accounts, Add Account, Other, and the settings below.",
    ],
  },
  {
    name: "Android",
    steps: [
      "In Gmail: your picture, Add another account, Other. In other apps: add an account.",
      "Enter {address}, choose IMAP (personal), and enter the password.",
      "Enter the servers below where the app asks for them, and SSL/TLS as security.",
    ],
  },
  {
    name: "Others",
    steps: [
      "Add an account with {address}; many apps find the settings by themselves.",
      "If yours does not, choose IMAP and enter the settings below.",
    ],
  },
];
