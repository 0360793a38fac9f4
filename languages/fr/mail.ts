// The mails in French.
import type { mail as english } from '../en/mail.ts'

const notYou = 'Si c’était vous, il n’y a rien à faire. Sinon, prévenez aussitôt la banque.'
const orderNotYou =
  'Si c’était vous, il n’y a rien à faire. Sinon, mettez fin à l’ordre et aux sessions que vous ne connaissez pas, choisissez un nouveau mot de passe et prévenez aussitôt la banque.'
const listNotYou =
  'Si c’était vous, il n’y a rien à faire. Sinon, annulez la liste si elle n’est pas encore payée, mettez fin aux sessions que vous ne connaissez pas, choisissez un nouveau mot de passe et prévenez aussitôt la banque.'
const byMemberNotYou =
  'Si vous vous y attendiez, il n’y a rien à faire. Sinon, mettez-y fin sur la page du compte, mettez fin à ce que la personne peut y faire, et prévenez la banque.'
const paidByMember = (member: string) =>
  `Il a été fait par ${member}, une personne qui peut payer depuis ce compte. Si vous vous y attendiez, il n’y a rien à faire. Sinon, mettez fin, sur la page du compte, à ce que la personne peut y faire, et prévenez la banque.`
const asked =
  'Si vous l’avez demandé à la banque, il n’y a rien à faire. Sinon, prévenez aussitôt la banque.'
const neverAsked = 'Personne à la banque ne vous demandera jamais ce lien.'

export const mail: typeof english = {
  hello: (name) => `Bonjour ${name},`,
  inCash: 'en espèces',
  reserved: 'sur le montant réservé',
  toAccount: (ending) => `vers un compte se terminant par ${ending}`,
  toDeletedPayee: 'vers un bénéficiaire qui a été supprimé',
  fromAccount: (ending) => `d’un compte qui se termine par ${ending}`,
  fromElsewhere: 'd’une autre banque',
  rhythms: {
    once: (day) => `une fois, le ${day}`,
    weekly: (day) => `chaque semaine à partir du ${day}`,
    monthly: (day) => `chaque mois à partir du ${day}`,
    yearly: (day) => `chaque année à partir du ${day}`,
  },
  atOnce: 'tout de suite',
  onDay: (day) => `le ${day}`,
  byLogin: 'avec votre connexion',
  byProgram: 'par un programme qui peut payer depuis votre compte',
  byMember: (name) => `par ${name}, une personne qui peut payer depuis ce compte`,
  formerMember: 'un ancien membre',
  members: {
    rights: {
      view: 'voir le compte',
      prepare: 'voir le compte et préparer des paiements',
      pay: 'voir le compte et payer',
    },
    perPayment: (money) => `jusqu’à ${money} par paiement`,
    perDay: (money) => `jusqu’à ${money} par jour`,
    until: (time) => `jusqu’au ${time}`,
    enders: {
      owner: 'le titulaire du compte y a mis fin',
      member: 'le membre y a mis fin',
      staff: 'la banque y a mis fin',
      time: 'son dernier jour est passé',
      revocation: 'la connexion qui a envoyé ou modifié l’invitation a été révoquée',
    },
  },
  notMade: 'la banque n’a pas pu l’exécuter',
  refusals: {
    insufficient_funds: 'le solde du compte n’était pas suffisant',
    limit_exceeded: 'le montant dépassait un plafond du compte',
    account_frozen: 'le compte est bloqué',
    account_closed: 'le compte du bénéficiaire est clôturé',
    credits_blocked: 'le compte du bénéficiaire n’accepte pas d’argent pour le moment',
    debits_blocked: 'une restriction de la banque arrête les paiements depuis le compte',
    currency_mismatch: 'le compte du bénéficiaire est dans une autre devise',
    beneficiary_inactive: 'le bénéficiaire est désactivé',
    signature_required: 'un montant de cette taille doit être signé par deux personnes',
    beneficiary_cooling:
      'le bénéficiaire a été ajouté moins d’un jour après le rétablissement de votre accès',
    not_found: 'le bénéficiaire a été supprimé',
    forbidden: 'le donneur d’ordre n’a plus le droit de payer depuis ce compte',
  },
  notApproved: 'la banque n’a pas pu l’autoriser',
  declines: {
    card_cancelled: 'la carte est résiliée',
    card_frozen: 'la carte est bloquée',
    card_expired: 'la carte a expiré',
    account_frozen: 'le compte est bloqué',
    debits_blocked: 'une restriction de la banque arrête les paiements depuis le compte',
    currency_mismatch: 'le compte est dans une autre devise',
    channel_off: 'la carte est désactivée pour ce type de paiement',
    per_payment_limit: 'le montant dépassait le plafond de la carte par paiement',
    per_day_limit: 'le montant dépassait le plafond quotidien de la carte',
    insufficient_funds: 'le solde du compte n’était pas suffisant',
  },
  disputeSteps: {
    opened: () => 'la banque l’a reçue',
    closed: () => 'la banque l’a close\u00a0; la page du paiement montre pourquoi',
    made: (money: string) => `${money} sont crédités sur votre compte en attendant la décision`,
    won: (money: string) => `la décision est en votre faveur, et vous gardez ${money}`,
    lost: (money: string) =>
      `la décision est en faveur du commerce, et ${money} sont repris sur votre compte`,
    withdrawn: (money: string) => `elle a été retirée, et ${money} sont repris sur votre compte`,
  },
  mails: {
    reset: {
      subject: 'Définir un nouveau mot de passe',
      paragraphs: ({ username, link, until }) => [
        `vous, ou la banque pour vous, avez demandé à définir un nouveau mot de passe pour votre nom d’utilisateur ${username}. Pour le choisir, ouvrez ce lien\u00a0:`,
        link,
        `Il fonctionne une fois, jusqu’au ${until}. Un lien plus récent l’annule. Une fois le nouveau mot de passe défini, vous êtes déconnecté partout.`,
        `Si vous ne le souhaitez pas, ne faites rien\u00a0: votre mot de passe reste tel quel. ${neverAsked}`,
      ],
    },
    invitation: {
      subject: 'Bienvenue\u00a0: choisissez votre mot de passe',
      paragraphs: ({ username, link, until }) => [
        `vous pouvez maintenant utiliser la banque. Votre nom d’utilisateur est ${username}. Pour choisir votre mot de passe, ouvrez ce lien\u00a0:`,
        link,
        `Il fonctionne une fois, jusqu’au ${until}. Ensuite, demandez un nouveau lien comme si vous aviez oublié le mot de passe. ${neverAsked}`,
      ],
    },
    'password-changed': {
      subject: 'Votre mot de passe a été changé',
      paragraphs: ({ username }) => [
        `le mot de passe de votre nom d’utilisateur ${username} vient d’être changé, et les autres appareils ont été déconnectés.`,
        'Si c’était vous, il n’y a rien à faire. Sinon, demandez aussitôt un nouveau mot de passe avec «\u00a0mot de passe oublié\u00a0» et prévenez la banque.',
      ],
    },
    'email-changed': {
      subject: 'Votre adresse e-mail a été changée',
      paragraphs: ({ username }) => [
        `la banque a changé l’adresse e-mail de votre nom d’utilisateur ${username}. Les e-mails vont désormais à la nouvelle adresse. Vous avez été déconnecté partout, et les liens pour définir un mot de passe envoyés ici ne valent plus.`,
        asked,
      ],
    },
    'email-set': {
      subject: 'Ceci est maintenant votre adresse e-mail',
      paragraphs: () => [
        'la banque a noté cette adresse e-mail comme la vôtre. Les e-mails arrivent désormais ici. Vous avez été déconnecté partout.',
        'Si vous ne l’avez pas demandé à la banque, prévenez aussitôt la banque.',
      ],
    },
    'email-asked': {
      subject: 'Une autre adresse e-mail est demandée',
      paragraphs: ({ username, at }) => [
        `avec votre nom d’utilisateur ${username}, une autre adresse e-mail a été demandée le ${at}. Tant qu’elle n’est pas confirmée par un lien envoyé là-bas, tout arrive ici comme avant.`,
        'Si c’était vous, il n’y a rien à faire ici. Sinon, choisissez tout de suite un nouveau mot de passe avec «\u00a0mot de passe oublié\u00a0»\u00a0: cela met fin à la demande et déconnecte tous les appareils. Prévenez ensuite la banque.',
      ],
    },
    // Without the user name: the address may have been mistyped.
    'email-proof': {
      subject: 'Confirmez votre adresse e-mail',
      paragraphs: ({ link, until }) => [
        'vous avez demandé à la banque d’utiliser cette adresse e-mail. Pour confirmer qu’elle est à vous, ouvrez ce lien et connectez-vous\u00a0:',
        link,
        `Il fonctionne une fois, jusqu’au ${until}. Un lien plus récent l’annule. Ensuite, vous êtes déconnecté partout.`,
        `Si vous ne l’avez pas demandé, ne faites rien\u00a0: l’adresse n’est alors pas utilisée. ${neverAsked}`,
      ],
    },
    'new-device': {
      subject: 'Connexion depuis un nouvel appareil',
      paragraphs: ({ username, at }) => [
        `votre nom d’utilisateur ${username} a servi à se connecter le ${at}, avec un appareil ou un programme que la banque ne connaissait pas.`,
        'Si c’était vous, il n’y a rien à faire. Sinon, demandez aussitôt un nouveau mot de passe avec «\u00a0mot de passe oublié\u00a0», ce qui déconnecte tous les appareils, et prévenez la banque.',
      ],
    },
    'limits-raised': {
      subject: 'Une limite plus élevée a été demandée',
      paragraphs: ({ username, at }) => [
        `votre nom d’utilisateur ${username} a demandé, le ${at}, de relever ou de supprimer une limite d’un de vos comptes. Elle s’applique 12 heures plus tard. D’ici là, vous pouvez l’annuler sur la page du compte.`,
        'Si c’était vous, il n’y a rien à faire. Sinon, annulez-la, mettez fin aux sessions que vous ne connaissez pas, choisissez un nouveau mot de passe et prévenez aussitôt la banque.',
      ],
    },
    'signatures-lowered': {
      subject: 'Moins de signatures ont été demandées',
      paragraphs: ({ username, at }) => [
        `votre nom d’utilisateur ${username} a demandé, le ${at}, que les paiements depuis un de vos comptes n’exigent deux signatures qu’à partir d’un montant plus élevé, ou plus du tout. Cela s’applique 12 heures plus tard. D’ici là, vous pouvez l’annuler sur la page du compte.`,
        'Si c’était vous, il n’y a rien à faire. Sinon, annulez-la, mettez fin aux sessions que vous ne connaissez pas, choisissez un nouveau mot de passe et prévenez aussitôt la banque.',
      ],
    },
    'draft-waiting': {
      subject: 'Un paiement attend votre signature',
      paragraphs: ({ money, iban, way, member, at }) => [
        `un paiement de ${money} depuis le compte qui se termine par ${iban}, ${way}, préparé par ${member}, attend votre signature depuis le ${at}.`,
        'Lisez tout sur la page avant de signer. Si vous ne l’attendiez pas, demandez à la personne qui l’a préparé.',
      ],
    },
    'draft-paid': {
      subject: 'Votre paiement a été signé',
      paragraphs: ({ money, iban, way, signers, at }) => [
        `le paiement de ${money} que vous avez préparé, depuis le compte qui se termine par ${iban}, ${way}, a été signé par ${signers} et exécuté le ${at}.`,
      ],
    },
    'draft-ended': {
      subject: 'Un paiement n’a pas été fait',
      paragraphs: ({ money, iban, way, member, at }) => [
        `un paiement de ${money} depuis le compte qui se termine par ${iban}, ${way}, préparé par ${member}, n’attend plus depuis le ${at}\u00a0: il a été annulé, son délai est passé, ou une personne qui l’a préparé ou signé n’en a plus le droit ou l’a fait dans une connexion révoquée par sécurité.`,
        'Rien n’a été payé. S’il est encore souhaité, préparez-le de nouveau.',
      ],
    },
    'member-invited': {
      subject: 'Vous êtes invité à agir pour un compte',
      paragraphs: ({ owner, rights, at }) => [
        `${owner} vous a invité le ${at} à agir pour un compte. Vous pourrez alors ${rights}.`,
        'Connectez-vous à la banque pour accepter ou refuser dans les sept jours. Si vous ne connaissez pas la personne, refusez\u00a0: rien ne se fait sans vous.',
      ],
    },
    'member-joined': {
      subject: 'Une personne peut agir pour votre compte',
      paragraphs: ({ member, iban, rights, at }) => [
        `${member} a accepté votre invitation le ${at} et agit désormais pour votre compte qui se termine par ${iban}. La personne peut ${rights}.`,
        'Si vous ne l’avez pas invitée, mettez-y fin aussitôt sur la page du compte, mettez fin aux sessions que vous ne connaissez pas, choisissez un nouveau mot de passe et prévenez la banque.',
      ],
    },
    'member-changed': {
      subject: 'Des droits sur un compte ont été modifiés',
      paragraphs: ({ member, owner, iban, rights, at }) => [
        `ce que ${member} peut faire pour le compte de ${owner} qui se termine par ${iban} a été modifié le ${at}. La personne peut maintenant ${rights}.`,
        'Seul le titulaire le modifie. Si vous êtes le titulaire et que ce n’était pas vous, mettez-y fin sur la page du compte et prévenez aussitôt la banque.',
      ],
    },
    'member-ended': {
      subject: 'Une personne n’agit plus pour un compte',
      paragraphs: ({ member, owner, iban, why, at }) => [
        `${member} n’agit plus pour le compte de ${owner} qui se termine par ${iban} depuis le ${at}\u00a0: ${why}.`,
        'Ce que la personne y a ordonné n’est plus payé en son nom.',
      ],
    },
    'notices-off': {
      subject: 'Un avis a été désactivé',
      paragraphs: ({ username, at }) => [
        `avec votre nom d’utilisateur ${username}, des avis par e-mail ont été désactivés le ${at}, ou un solde plus bas qu’avant a été choisi pour vous avertir. Votre profil montre quels e-mails vous recevez. Pendant une heure, d’autres changements ne vous sont pas signalés.`,
        notYou,
      ],
    },
    'money-arrived': {
      subject: 'De l’argent est arrivé',
      paragraphs: ({ money, iban, at, way }) => [
        `${money} sont arrivés sur votre compte qui se termine par ${iban} le ${at}, ${way}.`,
        'Vous êtes averti parce que vous l’avez demandé. Votre profil montre quels e-mails vous recevez.',
      ],
    },
    'card-dispute': {
      subject: 'Votre paiement par carte contesté',
      paragraphs: ({ merchant, card, at, why }) => [
        `votre contestation d’un paiement chez ${merchant} avec la carte qui se termine par ${card}, ${at}\u00a0: ${why}.`,
        'La page du paiement montre où elle en est.',
      ],
    },
    'account-overdrawn': {
      subject: 'Votre compte est à découvert',
      paragraphs: ({ money, iban, at }) => [
        `le ${at}, un paiement par carte, ou la fin d’une contestation, a été comptabilisé alors que votre compte qui se termine par ${iban} n’avait pas assez d’argent\u00a0: il manque maintenant ${money}, au-delà de ce que vous avez convenu avec la banque.`,
        'Un commerçant peut être payé tard, ou plus que le montant réservé, ou gagner une contestation, et la banque doit alors le payer. Veuillez verser ce montant\u00a0: jusque-là, aucun argent ne quitte le compte.',
      ],
    },
    'balance-below': {
      subject: 'Votre solde est bas',
      paragraphs: ({ money, iban, at }) => [
        `le ${at}, le solde de votre compte qui se termine par ${iban} est passé sous ${money}, le montant que vous avez choisi.`,
        'Vous êtes averti de nouveau une fois que le solde l’a atteint et repasse au-dessous.',
      ],
    },
    'phone-changed': {
      subject: 'Un numéro de téléphone a été changé',
      paragraphs: ({ at }) => [
        `la banque a changé le ${at} un numéro de téléphone qu’elle a de vous ou qui est enregistré pour un de vos comptes.`,
        asked,
      ],
    },
    payment: {
      subject: 'Un paiement est sorti de votre compte',
      paragraphs: ({ money, iban, at, way, member }) => [
        `${money} sont sortis de votre compte se terminant par ${iban} le ${at}, ${way}.`,
        member === '' ? notYou : paidByMember(member),
      ],
    },
    'alerts-paused': {
      subject: 'Beaucoup d’alertes en une heure',
      paragraphs: ({ alertsPerHour }) => [
        `il y a eu plus de ${alertsPerHour} alertes d’un même type pour vous en une heure, par exemple pour des connexions depuis de nouveaux appareils, des paiements ou des ordres permanents. Vous n’en recevez plus de ce type avant la fin de l’heure.`,
        'Regardez vos comptes et vos connexions. Si vous ne savez pas pourquoi il y en a autant, prévenez aussitôt la banque.',
      ],
    },
    'webhook-disabled': {
      subject: 'Un webhook a été désactivé',
      paragraphs: ({ at, publicUrl }) => [
        `un webhook de la banque a été désactivé le ${at}\u00a0: sa cible a répondu qu’elle n’existe plus, ou tous les envois ont échoué pendant cinq jours. Rien ne lui est envoyé avant qu’un administrateur ne le réactive. Lequel et pourquoi, vous le voyez ici\u00a0:`,
        `${publicUrl}/portal/staff/programs/webhooks`,
      ],
    },
    'factor-added': {
      subject: 'Un second facteur a été ajouté',
      paragraphs: ({ username, at }) => [
        `un second facteur a été ajouté à votre nom d’utilisateur ${username} le ${at}, et les autres appareils ont été déconnectés. Chaque connexion demande désormais un de vos seconds facteurs.`,
        notYou,
      ],
    },
    'factor-removed': {
      subject: 'Un second facteur a été retiré',
      paragraphs: ({ username, at }) => [
        `un second facteur a été retiré de votre nom d’utilisateur ${username} le ${at}, et les autres appareils ont été déconnectés.`,
        notYou,
      ],
    },
    'recovery-codes-made': {
      subject: 'De nouveaux codes de secours',
      paragraphs: ({ username, at }) => [
        `de nouveaux codes de secours ont été créés pour votre nom d’utilisateur ${username} le ${at}. Les précédents ne valent plus.`,
        notYou,
      ],
    },
    'recovery-code-used': {
      subject: 'Connexion sans votre second facteur',
      paragraphs: ({ username, at }) => [
        `votre nom d’utilisateur ${username} a servi à se connecter le ${at}, avec le mot de passe et, à la place d’un second facteur, un code de secours ou un lien de la banque. Cette connexion ne peut qu’ajouter un nouveau second facteur. Pendant 24 heures, rien n’est payé aux bénéficiaires ajoutés à partir de maintenant.`,
        'Si c’était vous, il n’y a rien à faire. Sinon, demandez aussitôt un nouveau mot de passe avec «\u00a0mot de passe oublié\u00a0», et prévenez la banque.',
      ],
    },
    'factor-reset': {
      subject: 'Remplacez votre second facteur',
      paragraphs: ({ username, link, until }) => [
        `la banque vous permet de remplacer les seconds facteurs de votre nom d’utilisateur ${username}. Vous avez été déconnecté partout. Connectez-vous avec ce lien et votre mot de passe, et configurez un nouveau second facteur\u00a0; il remplace tous les autres\u00a0:`,
        link,
        `Il fonctionne une fois, jusqu’au ${until}. ${neverAsked}`,
        'Si vous ne l’avez pas demandé à la banque, prévenez aussitôt la banque\u00a0: quelqu’un essaie peut-être de prendre vos comptes.',
      ],
    },
    'wrong-factor': {
      subject: 'Un second facteur inexact',
      paragraphs: ({ username, at }) => [
        `un second facteur inexact a été donné pour votre nom d’utilisateur ${username} le ${at}, après votre mot de passe ou dans une de vos sessions. Rien n’a été fait avec lui. Pendant une heure, d’autres ne vous sont pas signalés.`,
        'Si c’était vous, il n’y a rien à faire. Sinon, quelqu’un connaît votre mot de passe ou utilise une de vos sessions\u00a0: demandez aussitôt un nouveau mot de passe avec «\u00a0mot de passe oublié\u00a0», ce qui déconnecte tous les appareils, et prévenez la banque.',
      ],
    },
    'codes-refused': {
      subject: 'Les codes à usage unique sont refusés',
      paragraphs: ({ username, at }) => [
        `trop de codes à usage unique ont été inexacts d’affilée pour votre nom d’utilisateur ${username}, après le bon mot de passe, jusqu’au ${at}. À la connexion, tous les codes sont maintenant refusés, même exacts, sauf sur un appareil d’où vous vous êtes déjà connecté.`,
        'Quelqu’un connaît peut-être votre mot de passe\u00a0: définissez-en un nouveau avec «\u00a0mot de passe oublié\u00a0». Les codes sont ensuite de nouveau acceptés, comme après une connexion avec une clé d’accès ou un code de secours. Si rien de cela n’aide, demandez à la banque de pouvoir remplacer votre second facteur.',
      ],
    },
    'issuer-linked': {
      subject: 'Connexion par le fournisseur d’identité',
      paragraphs: ({ username, at }) => [
        `le ${at}, l’administration a décidé qu’une connexion chez le fournisseur d’identité de la banque ouvre votre nom d’utilisateur ${username}. Tous les appareils ont été déconnectés.`,
        'Si vous ne vous y attendez pas, prévenez aussitôt la banque\u00a0: quelqu’un pourrait agir en votre nom.',
      ],
    },
    'issuer-unlinked': {
      subject: 'Fin de la connexion par le fournisseur',
      paragraphs: ({ username, at }) => [
        `le ${at}, l’administration a mis fin à l’ouverture de votre nom d’utilisateur ${username} par une connexion chez le fournisseur d’identité de la banque. Tous les appareils ont été déconnectés. Désormais, vous vous connectez avec votre mot de passe de cette banque.`,
        'Si vous ne vous y attendez pas, prévenez aussitôt la banque.',
      ],
    },
    'list-ordered': {
      subject: 'Une liste de paiements a été ordonnée',
      paragraphs: ({ count, money, iban, day, why, member, at }) => [
        `le ${at}, une liste de ${count} paiements, ${money} en tout, a été ordonnée ${why}. Elle est payée ${day} depuis votre compte qui se termine par ${iban}.`,
        member === '' ? listNotYou : byMemberNotYou,
      ],
    },
    'list-refused': {
      subject: 'Des paiements d’une liste ont été refusés',
      paragraphs: ({ count, iban }) => [
        `de votre liste de paiements depuis le compte qui se termine par ${iban}, ${count} n’ont pas été faits. Les autres l’ont été.`,
        'La page de la liste dit pourquoi pour chacun.',
      ],
    },
    'order-refused': {
      subject: 'Un ordre permanent n’a pas été exécuté',
      paragraphs: ({ money, iban, day, why }) => [
        `votre ordre permanent de ${money} depuis le compte qui se termine par ${iban}, prévu le ${day}, n’a pas été exécuté\u00a0: ${why}.`,
        'Si l’ordre a d’autres échéances, elles sont maintenues. Pour payer celle-ci malgré tout, faites un virement.',
      ],
    },
    'order-paused': {
      subject: 'Un ordre permanent a été suspendu',
      paragraphs: ({ money, iban }) => [
        `votre ordre permanent de ${money} depuis le compte qui se termine par ${iban} a manqué de nombreuses échéances. La banque en a rattrapé 31 et l’a suspendu.`,
        'Vérifiez l’ordre, et reprenez-le s’il doit continuer.',
      ],
    },
    'order-made': {
      subject: 'Un nouvel ordre permanent',
      paragraphs: ({ money, iban, way, day, why, member, at }) => [
        `un ordre permanent a été créé le ${at}, ${why}. Il paie ${money} depuis votre compte qui se termine par ${iban}, ${way}, ${day}.`,
        member === '' ? orderNotYou : byMemberNotYou,
      ],
    },
    'order-changed': {
      subject: 'Un ordre permanent a été modifié',
      paragraphs: ({ money, iban, way, day, why, member, at }) => [
        `le bénéficiaire ou le montant d’un ordre permanent a été modifié le ${at}, ${why}. Il paie désormais ${money} depuis votre compte qui se termine par ${iban}, ${way}, ${day}.`,
        member === '' ? orderNotYou : byMemberNotYou,
      ],
    },
    'card-payment': {
      subject: 'Un paiement par carte',
      paragraphs: ({ money, card, merchant, at, iban }) => [
        `${money} ont été autorisés avec votre carte se terminant par ${card}, chez ${merchant}, le ${at}. Ils sont réservés sur votre compte se terminant par ${iban}.`,
        'Si c’était vous, il n’y a rien à faire. Sinon, bloquez la carte et prévenez la banque immédiatement.',
      ],
    },
    'card-declined': {
      subject: 'Un paiement par carte a été refusé',
      paragraphs: ({ money, card, merchant, at, why }) => [
        `un paiement de ${money} avec votre carte se terminant par ${card}, chez ${merchant}, a été refusé le ${at}\u00a0: ${why}.`,
        'Si c’était vous, il n’y a rien à faire. Sinon, bloquez la carte et prévenez la banque immédiatement.',
      ],
    },
  },
}
