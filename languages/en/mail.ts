// The mails in English. Every other language has the same keys. Each string is a paragraph; a link
// stands alone.
import type { MailWords } from '../mail-words.ts'
import type { DeclineReason, DisputeStep, MailKind, RunRefusal } from '../words.ts'

const notYou = 'If it was you, there is nothing to do. If it was not, tell the bank at once.'
const orderNotYou =
  'If it was you, there is nothing to do. If it was not, end the order and the sessions that you do not know, set a new password, and tell the bank at once.'
const listNotYou =
  'If it was you, there is nothing to do. If it was not, cancel the list if it is not paid yet, end the sessions that you do not know, set a new password, and tell the bank at once.'
const byMemberNotYou =
  'If you expected it, there is nothing to do. If not, end it on the page of the account, end what the person may do there, and tell the bank.'
const paidByMember = (member: string) =>
  `${member} made it, who may pay from this account. If you expected it, there is nothing to do. If not, end what the person may do on the page of the account, and tell the bank.`
const asked =
  'If you asked the bank for this, there is nothing to do. If you did not, tell the bank at once.'
const neverAsked = 'Nobody at the bank will ever ask you for this link.'

export const mail = {
  hello: (name: string) => `Hello ${name},`,
  inCash: 'in cash',
  reserved: 'out of what was reserved',
  toAccount: (ending: string) => `to an account that ends in ${ending}`,
  toDeletedPayee: 'to a payee that was deleted',
  fromAccount: (ending: string) => `from an account that ends in ${ending}`,
  fromElsewhere: 'from another bank',
  rhythms: {
    once: (day: string) => `once, on ${day}`,
    weekly: (day: string) => `every week from ${day} on`,
    monthly: (day: string) => `every month from ${day} on`,
    yearly: (day: string) => `every year from ${day} on`,
  },
  atOnce: 'at once',
  onDay: (day: string) => `on ${day}`,
  byLogin: 'with your login',
  byProgram: 'by a program that may pay from your account',
  byMember: (name: string) => `by ${name}, who may pay from this account`,
  formerMember: 'a former member',
  members: {
    rights: { view: 'see it', prepare: 'see it and prepare payments', pay: 'see it and pay' },
    perPayment: (money: string) => `up to ${money} a payment`,
    perDay: (money: string) => `up to ${money} a day`,
    until: (time: string) => `until ${time}`,
    enders: {
      owner: 'the owner of the account has ended it',
      member: 'the member has ended it',
      staff: 'the bank has ended it',
      time: 'its last day is over',
      revocation: 'the login in which the invitation was sent or changed was revoked',
    },
  },
  notMade: 'the bank could not make it',
  refusals: {
    insufficient_funds: 'there was not enough money in the account',
    limit_exceeded: 'it was above a limit of the account',
    account_frozen: 'the account is frozen',
    account_closed: 'the account of the payee is closed',
    credits_blocked: 'the account of the payee takes no money at present',
    debits_blocked: 'the bank has blocked payments from the account',
    currency_mismatch: 'the account of the payee has another currency',
    beneficiary_inactive: 'the payee is deactivated',
    signature_required: 'two people have to sign an amount of that size',
    beneficiary_cooling: 'the payee was added less than a day after your login was recovered',
    not_found: 'the payee was deleted',
    forbidden: 'the person or program that ordered it may not pay from the account any more',
  } satisfies Record<RunRefusal, string>,
  notApproved: 'the bank could not approve it',
  declines: {
    card_cancelled: 'the card is cancelled',
    card_frozen: 'the card is frozen',
    card_expired: 'the card has expired',
    account_frozen: 'the account is frozen',
    debits_blocked: 'the bank has blocked payments from the account',
    currency_mismatch: 'the account has another currency',
    channel_off: 'the card is switched off for such payments',
    per_payment_limit: 'it was more than the card may pay at once',
    per_day_limit: 'it was more than the card may pay in a day',
    insufficient_funds: 'there was not enough money in the account',
  } satisfies Record<DeclineReason, string>,
  disputeSteps: {
    opened: () => 'the bank has received it',
    closed: () => 'the bank has closed it, and the page of the payment shows why',
    made: (money: string) =>
      `${money} are credited to your account for as long as it is being decided`,
    won: (money: string) => `it is decided for you, and you keep the ${money}`,
    lost: (money: string) =>
      `it is decided for the shop, and ${money} are taken back from your account`,
    withdrawn: (money: string) => `it was withdrawn, and ${money} are taken back from your account`,
  } satisfies Record<DisputeStep, (money: string) => string>,
  mails: {
    reset: {
      subject: 'Set a new password',
      paragraphs: ({ username, link, until }: MailWords) => [
        `you, or the bank for you, asked to set a new password for your user name ${username}. To choose one, open this link:`,
        link,
        `It works once, until ${until}. A newer link makes it void. When the new password is set, you are logged out everywhere.`,
        `If you do not want this, do nothing: your password stays as it is. ${neverAsked}`,
      ],
    },
    invitation: {
      subject: 'Welcome: choose your password',
      paragraphs: ({ username, link, until }: MailWords) => [
        `you can now use the bank. Your user name is ${username}. To choose your password, open this link:`,
        link,
        `It works once, until ${until}. After that, ask for a new link as if you had forgotten the password. ${neverAsked}`,
      ],
    },
    'password-changed': {
      subject: 'Your password was changed',
      paragraphs: ({ username }: MailWords) => [
        `the password of your user name ${username} was just changed, and other devices were logged out.`,
        'If it was you, there is nothing to do. If it was not, ask for a new password at once with “forgotten password” and tell the bank.',
      ],
    },
    'email-changed': {
      subject: 'Your e-mail address was changed',
      paragraphs: ({ username }: MailWords) => [
        `the bank has changed the e-mail address of your user name ${username}. Mails go to the new address from now on. You were logged out everywhere, and links to set a password that were sent here are void.`,
        asked,
      ],
    },
    // Without the user name: the address may have been mistyped.
    'email-set': {
      subject: 'This is your e-mail address now',
      paragraphs: () => [
        'the bank has noted this e-mail address as yours. Mails go here from now on. You were logged out everywhere.',
        'If you did not ask the bank for this, tell the bank at once.',
      ],
    },
    'email-asked': {
      subject: 'Another e-mail address was asked for',
      paragraphs: ({ username, at }: MailWords) => [
        `your user name ${username} asked on ${at} to use another e-mail address. Until it is proved by a link that was mailed there, everything goes here as before.`,
        'If it was you, there is nothing to do here. If it was not, set a new password at once with “forgotten password”: that ends the request and logs out all devices. Then tell the bank.',
      ],
    },
    // Without the user name: the address may have been mistyped.
    'email-proof': {
      subject: 'Prove your e-mail address',
      paragraphs: ({ link, until }: MailWords) => [
        'you asked the bank to use this e-mail address. To prove that it is yours, open this link and log in:',
        link,
        `It works once, until ${until}. A newer link makes it void. After that you are logged out everywhere.`,
        `If you did not ask for this, do nothing: the address is not used then. ${neverAsked}`,
      ],
    },
    'new-device': {
      subject: 'A login from a new device',
      paragraphs: ({ username, at }: MailWords) => [
        `your user name ${username} was used to log in on ${at}, with a device or a program that the bank did not know.`,
        'If it was you, there is nothing to do. If it was not, ask for a new password at once with “forgotten password”, which logs out all devices, and tell the bank.',
      ],
    },
    'limits-raised': {
      subject: 'A higher limit was asked for',
      paragraphs: ({ username, at }: MailWords) => [
        `your user name ${username} asked on ${at} to raise or end a limit of one of your accounts. It holds 12 hours later. Until then you can undo it on the page of the account.`,
        'If it was you, there is nothing to do. If it was not, undo it, end the sessions that you do not know, set a new password, and tell the bank at once.',
      ],
    },
    'signatures-lowered': {
      subject: 'Fewer signatures were asked for',
      paragraphs: ({ username, at }: MailWords) => [
        `your user name ${username} asked on ${at} that payments out of one of your accounts need two signatures from a higher amount on, or no longer. It holds 12 hours later. Until then you can undo it on the page of the account.`,
        'If it was you, there is nothing to do. If it was not, undo it, end the sessions that you do not know, set a new password, and tell the bank at once.',
      ],
    },
    'draft-waiting': {
      subject: 'A payment waits for your signature',
      paragraphs: ({ money, iban, way, member, at }: MailWords) => [
        `a payment of ${money} out of the account that ends in ${iban}, ${way}, prepared by ${member}, waits for your signature since ${at}.`,
        'Read all of it on the page before you sign. If you did not expect it, ask the person that made it.',
      ],
    },
    'draft-paid': {
      subject: 'Your payment was signed',
      paragraphs: ({ money, iban, way, signers, at }: MailWords) => [
        `the payment of ${money} that you prepared, out of the account that ends in ${iban}, ${way}, was signed by ${signers} and made on ${at}.`,
      ],
    },
    'draft-ended': {
      subject: 'A payment was not made',
      paragraphs: ({ money, iban, way, member, at }: MailWords) => [
        `a payment of ${money} out of the account that ends in ${iban}, ${way}, prepared by ${member}, waits no longer since ${at}: it was cancelled, its time is over, or a person that prepared or signed it may not any more or did so in a login that was revoked for security.`,
        'Nothing was paid. If it is still wanted, prepare it again.',
      ],
    },
    // Without the number of the account: the user name may have been mistyped.
    'member-invited': {
      subject: 'You are invited to act for an account',
      paragraphs: ({ owner, rights, at }: MailWords) => [
        `${owner} invited you on ${at} to act for an account. You may then ${rights}.`,
        'Log in at the bank to accept or decline within seven days. If you do not know the person, decline: nothing happens without you.',
      ],
    },
    'member-joined': {
      subject: 'A person may act for your account',
      paragraphs: ({ member, iban, rights, at }: MailWords) => [
        `${member} accepted your invitation on ${at} and acts for your account that ends in ${iban} from now on. The person may ${rights}.`,
        'If you did not invite the person, end this at once on the page of the account, end the sessions that you do not know, set a new password, and tell the bank.',
      ],
    },
    'member-changed': {
      subject: 'Rights on an account were changed',
      paragraphs: ({ member, owner, iban, rights, at }: MailWords) => [
        `what ${member} may do for the account of ${owner} that ends in ${iban} was changed on ${at}. The person may now ${rights}.`,
        'Only the owner changes it. If you are the owner and did not do so, end it on the page of the account and tell the bank at once.',
      ],
    },
    'member-ended': {
      subject: 'A person acts for an account no more',
      paragraphs: ({ member, owner, iban, why, at }: MailWords) => [
        `${member} acts for the account of ${owner} that ends in ${iban} no more since ${at}: ${why}.`,
        'What the person ordered there is not paid in its name any more.',
      ],
    },
    'notices-off': {
      subject: 'A notice was switched off',
      paragraphs: ({ username, at }: MailWords) => [
        `your user name ${username} switched off notices by mail on ${at}, or asked to be told of a lower balance than before. Which mails you are sent is shown in your profile. For an hour you are not told of further changes.`,
        notYou,
      ],
    },
    'money-arrived': {
      subject: 'Money arrived',
      paragraphs: ({ money, iban, at, way }: MailWords) => [
        `${money} arrived in your account that ends in ${iban} on ${at}, ${way}.`,
        'You are told because you asked for it. Your profile shows which mails you are sent.',
      ],
    },
    'card-dispute': {
      subject: 'Your disputed card payment',
      paragraphs: ({ merchant, card, at, why }: MailWords) => [
        `your dispute of a card payment at ${merchant} with the card that ends in ${card}, ${at}: ${why}.`,
        'The page of the payment shows how it stands.',
      ],
    },
    'account-overdrawn': {
      subject: 'Your account is overdrawn',
      paragraphs: ({ money, iban, at }: MailWords) => [
        `on ${at} a card payment, or the end of a dispute of one, was booked that your account that ends in ${iban} had not enough money for: ${money} are lacking now, beyond what you have arranged with the bank.`,
        'A shop may be paid late, or more than was reserved, or win a dispute, and the bank then has to pay it. Please pay the amount in: until then no money leaves the account.',
      ],
    },
    'balance-below': {
      subject: 'Your balance is low',
      paragraphs: ({ money, iban, at }: MailWords) => [
        `on ${at} the balance of your account that ends in ${iban} came below ${money}, the amount that you have chosen.`,
        'You are told again once the balance has reached it and comes below it anew.',
      ],
    },
    'phone-changed': {
      subject: 'A phone number was changed',
      paragraphs: ({ at }: MailWords) => [
        `the bank has changed a phone number that it has of you or registered for one of your accounts, on ${at}.`,
        asked,
      ],
    },
    payment: {
      subject: 'A payment left your account',
      paragraphs: ({ money, iban, at, way, member }: MailWords) => [
        `${money} left your account that ends in ${iban} on ${at}, ${way}.`,
        member === '' ? notYou : paidByMember(member),
      ],
    },
    'alerts-paused': {
      subject: 'Many alerts within an hour',
      paragraphs: ({ alertsPerHour }: MailWords) => [
        `there were more than ${alertsPerHour} alerts of one kind for you within an hour, such as logins from new devices, payments or standing orders. You are not sent more of that kind until the hour is over.`,
        'Look at your accounts and at your logins. If you do not know why there are so many, tell the bank at once.',
      ],
    },
    'webhook-disabled': {
      subject: 'A webhook was disabled',
      paragraphs: ({ at, publicUrl }: MailWords) => [
        `a webhook of the bank was disabled on ${at}: its target has answered that it is gone, or all deliveries to it have failed for five days. Nothing is sent to it until an administrator enables it again. Which one it is, and why, is shown at`,
        `${publicUrl}/portal/staff/programs/webhooks`,
      ],
    },
    'factor-added': {
      subject: 'A second factor was added',
      paragraphs: ({ username, at }: MailWords) => [
        `a second factor was added to your user name ${username} on ${at}, and other devices were logged out. Each login asks for one of your second factors from now on.`,
        notYou,
      ],
    },
    'factor-removed': {
      subject: 'A second factor was removed',
      paragraphs: ({ username, at }: MailWords) => [
        `a second factor was removed from your user name ${username} on ${at}, and other devices were logged out.`,
        notYou,
      ],
    },
    'recovery-codes-made': {
      subject: 'New recovery codes were made',
      paragraphs: ({ username, at }: MailWords) => [
        `new recovery codes were made for your user name ${username} on ${at}. Earlier ones are void.`,
        notYou,
      ],
    },
    'recovery-code-used': {
      subject: 'A login without your second factor',
      paragraphs: ({ username, at }: MailWords) => [
        `your user name ${username} was used to log in on ${at}, with the password and a recovery code or a link from the bank, in place of a second factor. That login can only add a new second factor. For 24 hours, nothing is paid to beneficiaries that are added from now on.`,
        'If it was you, there is nothing to do. If it was not, ask for a new password at once with “forgotten password”, and tell the bank.',
      ],
    },
    'factor-reset': {
      subject: 'Replace your second factor',
      paragraphs: ({ username, link, until }: MailWords) => [
        `the bank lets you replace the second factors of your user name ${username}. You were logged out everywhere. Log in with this link and your password, and enrol a new second factor; it takes the place of all others:`,
        link,
        `It works once, until ${until}. ${neverAsked}`,
        'If you did not ask the bank for this, tell the bank at once: somebody may try to take over your accounts.',
      ],
    },
    'wrong-factor': {
      subject: 'A wrong second factor',
      paragraphs: ({ username, at }: MailWords) => [
        `a second factor that is not right was given for your user name ${username} on ${at}, after your password or in one of your sessions. Nothing was done with it. For an hour you are not told of further ones.`,
        'If it was you, there is nothing to do. If it was not, somebody knows your password or uses a session of yours: ask for a new password at once with “forgotten password”, which logs out all devices, and tell the bank.',
      ],
    },
    'codes-refused': {
      subject: 'One-time codes are refused',
      paragraphs: ({ username, at }: MailWords) => [
        `too many one-time codes were wrong in a row for your user name ${username}, after the right password, until ${at}. At a login all codes are refused now, the right ones too, but not on a device from which you have logged in before.`,
        'Somebody may know your password: set a new one with “forgotten password”. Codes are taken again after that, and also after a login with a passkey or a recovery code. If none of these helps, ask the bank to let you replace your second factor.',
      ],
    },
    'issuer-linked': {
      subject: 'You sign in at the identity provider',
      paragraphs: ({ username, at }: MailWords) => [
        `on ${at} an administrator has set that your user name ${username} is opened by a sign-in at the identity provider of the bank. All devices were logged out.`,
        'If you do not expect this, tell the bank at once: somebody could act in your name.',
      ],
    },
    'issuer-unlinked': {
      subject: 'Your sign-in at the identity provider ended',
      paragraphs: ({ username, at }: MailWords) => [
        `on ${at} an administrator has ended that your user name ${username} is opened by a sign-in at the identity provider of the bank. All devices were logged out. From now on you sign in with your password of this bank.`,
        'If you do not expect this, tell the bank at once.',
      ],
    },
    'list-ordered': {
      subject: 'A list of payments was ordered',
      paragraphs: ({ count, money, iban, day, why, member, at }: MailWords) => [
        `a list of ${count} payments, ${money} together, was ordered on ${at}, ${why}. It is paid ${day} from your account that ends in ${iban}.`,
        member === '' ? listNotYou : byMemberNotYou,
      ],
    },
    'list-refused': {
      subject: 'Payments of a list were refused',
      paragraphs: ({ count, iban }: MailWords) => [
        `of your list of payments from the account that ends in ${iban}, ${count} were not made. The others were.`,
        'The page of the list says why of each.',
      ],
    },
    'order-refused': {
      subject: 'A standing order was not paid',
      paragraphs: ({ money, iban, day, why }: MailWords) => [
        `your standing order of ${money} from the account that ends in ${iban}, due on ${day}, was not paid: ${why}.`,
        'If the order has later days, they stay as they are. To pay this one all the same, make a transfer.',
      ],
    },
    'order-paused': {
      subject: 'A standing order was paused',
      paragraphs: ({ money, iban }: MailWords) => [
        `your standing order of ${money} from the account that ends in ${iban} has missed many days. The bank made up for 31 of them and has paused it.`,
        'Look at the order, and resume it if it is to go on.',
      ],
    },
    'order-made': {
      subject: 'A new standing order',
      paragraphs: ({ money, iban, way, day, why, member, at }: MailWords) => [
        `a standing order was made on ${at}, ${why}. It pays ${money} from your account that ends in ${iban}, ${way}, ${day}.`,
        member === '' ? orderNotYou : byMemberNotYou,
      ],
    },
    'order-changed': {
      subject: 'A standing order was changed',
      paragraphs: ({ money, iban, way, day, why, member, at }: MailWords) => [
        `the payee or the amount of a standing order was changed on ${at}, ${why}. It now pays ${money} from your account that ends in ${iban}, ${way}, ${day}.`,
        member === '' ? orderNotYou : byMemberNotYou,
      ],
    },
    'card-payment': {
      subject: 'A card payment',
      paragraphs: ({ money, card, merchant, at, iban }: MailWords) => [
        `${money} were authorised with your card that ends in ${card}, at ${merchant}, on ${at}. They are reserved in your account that ends in ${iban}.`,
        'If it was you, there is nothing to do. If it was not, freeze the card and tell the bank at once.',
      ],
    },
    'card-declined': {
      subject: 'A card payment was declined',
      paragraphs: ({ money, card, merchant, at, why }: MailWords) => [
        `a payment of ${money} with your card that ends in ${card}, at ${merchant}, was declined on ${at}: ${why}.`,
        'If it was you, there is nothing to do. If it was not, freeze the card and tell the bank at once.',
      ],
    },
  } satisfies Record<MailKind, unknown>,
}
