// The texts in French of the search and of people, for staff.
import type { texts as english } from '../../en/portal/people.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  staffSearch: {
    title: 'Recherche',
    label: 'Client, compte ou paiement',
    hint: 'Un nom dans n’importe quel ordre, même avec une lettre fausse\u00a0; un numéro de téléphone\u00a0; les quatre derniers chiffres d’une carte\u00a0; un nom d’utilisateur, une adresse e-mail, un IBAN ou un identifiant. D’un paiement\u00a0: des mots du motif, ou le montant avec son jour\u00a0: 12,50 EUR 31/01/2026.',
    submit: 'Rechercher',
    begin:
      'Cherchez un client, un compte ou un paiement. Chaque recherche figure au journal d’audit.',
    found: (people, accounts, hasMore) =>
      `${plural(people, 'personne', 'personnes')} et ${plural(accounts, 'compte', 'comptes')} affichés${hasMore ? '\u00a0; il y en a d’autres' : ''}.`,
    people: 'Personnes',
    accounts: 'Comptes',
    noPeople: 'Aucune personne n’a été trouvée.',
    noAccounts: 'Aucun compte n’a été trouvé.',
    nothing:
      'Aucune personne ni aucun compte trouvé. Vérifiez l’orthographe, ou cherchez une autre partie du nom.',
    badIban:
      'Ce n’est pas un IBAN valable\u00a0: ses chiffres de contrôle ne concordent pas. Veuillez le comparer à nouveau.',
  },
  customer: {
    ordersBy: 'Ordres permanents par auteur',
    title: 'Personne',
    person: 'Personne',
    username: 'Nom d’utilisateur',
    roles: 'Rôles',
    status: 'Connexion',
    email: 'Adresse e-mail',
    phone: 'Téléphone',
    address: 'Adresse',
    since: 'Depuis',
    id: 'Identifiant',
    externalId: 'Identifiant externe',
    accounts: 'Comptes',
    noAccounts: 'Cette personne n’a pas de compte.',
    sessions: 'Sessions',
    noSessions: 'Cette personne n’est connectée nulle part.',
    ownSessions: 'Ce sont vos propres sessions. Mettez-y fin ici\u00a0:',
    end: 'Mettre fin',
    endOf: (device) => `Mettre fin à la session sur ${device}`,
    endedOne: (device) => `La session sur ${device} est terminée.`,
    endAll: 'Mettre fin à toutes les sessions',
    endAllText: (name) => `${name} sera aussitôt déconnecté de tous les appareils.`,
    endedAll: 'Toutes les sessions sont terminées.',
    allAbout: 'Tous les événements à propos de cette personne',
    allBy: 'Tous les événements faits par cette personne',
    edit: 'Modifier coordonnées, rôles ou connexion',
    noEvents: 'Il n’y a pas d’événement.',
  },
  notes: {
    title: 'Notes',
    none: 'Rien n’est noté pour l’instant.',
    add: 'Ajouter une note',
    text: 'Note',
    hint: 'Pour le personnel. Une note ne change plus\u00a0; la personne la voit dans un export de ses données.',
    save: 'Enregistrer la note',
    bad: 'Ce texte ne peut pas être enregistré. Il contient peut-être un numéro de carte.',
    onAccount: 'sur un compte',
  },
  users: {
    find: 'Trouver des personnes',
    search: 'Nom, nom d’utilisateur ou adresse e-mail',
    any: 'Tous',
    caption: 'Personnes de la banque, de la plus récente à la plus ancienne',
    shown: (count, hasMore) =>
      `${plural(count, 'personne affichée', 'personnes affichées')}${hasMore ? '\u00a0; il y en a d’autres' : ''}`,
    none: 'Personne ne correspond. Vérifiez l’orthographe, ou effacez les filtres.',
    name: 'Nom',
    username: 'Nom d’utilisateur',
    email: 'Adresse e-mail',
    role: 'Rôle',
    status: 'Statut',
    since: 'Depuis',
    roles: { customer: 'Client', 'support-agent': 'Agent du support', admin: 'Administrateur' },
    roleMeanings: {
      customer: 'a ses propres comptes',
      'support-agent': 'lit ce que les clients ont, ne modifie rien',
      admin: 'déplace de l’argent, modifie comptes et personnes',
    },
    rolesLegend: 'Rôles',
    rolesMissing: 'Choisissez au moins un rôle.',
    statuses: { active: 'Actif', disabled: 'Désactivé' },
    create: 'Créer une personne',
    created: 'La personne est créée',
    invited: (name, email) =>
      `${name} reçoit à ${email} un e-mail avec un lien pour définir un mot de passe. Le lien est valable un jour.`,
    withPassword: (name) => `${name} peut se connecter avec le mot de passe que vous avez défini.`,
    toPerson: 'Afficher la personne',
    another: 'Créer une autre personne',
    lookFor: (username) => `Regarder si ${username} a été créé`,
    usernameRules: '3 à 32 lettres minuscules, chiffres, points, traits d’union ou tirets bas.',
    unfitUsername:
      'Un nom d’utilisateur a 3 à 32 lettres minuscules, chiffres, points, traits d’union ou tirets bas, et commence par une lettre ou un chiffre.',
    usernameTaken: 'Ce nom d’utilisateur est déjà utilisé.',
    emailTaken: 'Cette adresse e-mail est déjà utilisée.',
    givenName: 'Prénom',
    familyName: 'Nom de famille',
    phone: 'Téléphone (facultatif)',
    phoneHint: 'Avec l’indicatif du pays, par exemple +33 1 23 45 67 89.',
    address: 'Adresse postale (facultatif)',
    language: 'Langue',
    ownLanguage: 'Choisie par la personne',
    unfitEmail: 'Ce n’est pas une adresse e-mail.',
    unfitPhone: 'Ce n’est pas un numéro de téléphone avec l’indicatif du pays.',
    access: 'Comment la personne se connecte-t-elle\u00a0?',
    ways: {
      invitation: 'Par un lien dans un e-mail (recommandé)',
      password: 'Avec un mot de passe défini maintenant',
    },
    edit: 'Coordonnées et rôles',
    saved: 'Enregistré.',
    nothingChanged: 'Rien n’a été modifié.',
    newEmail:
      'Avec une nouvelle adresse e-mail, la personne est déconnectée partout, et l’ancienne adresse est prévenue.',
    lastAdmin:
      'Un administrateur ne peut retirer ni lui-même ni le dernier administrateur. Un autre administrateur doit le faire.',
    isInvited: 'Invité',
    tooManyLinks: 'Cette personne a reçu trois liens en une heure. Veuillez attendre.',
    invite: {
      title: 'Invitation',
      text: 'Cette personne n’a pas encore défini de mot de passe. Une nouvelle invitation annule le lien de la précédente.',
      send: 'Inviter à nouveau',
      ask: (name: string, email: string) =>
        `Un lien pour définir un mot de passe part à ${email}. Il fonctionne une fois, pendant un jour. Assurez-vous que c’est l’adresse de ${name}.`,
      sent: (email: string) => `L’invitation est en route vers ${email}.`,
    },
    resetPassword: {
      title: 'Mot de passe',
      text: 'La personne reçoit par e-mail un lien pour définir un nouveau mot de passe. Personne à la banque ne voit le lien ni le mot de passe.',
      send: 'Envoyer un lien de réinitialisation',
      ask: (name: string, email: string) =>
        `Un lien part à ${email}. Il fonctionne une fois, pendant 30 minutes. Tant qu’il n’est pas utilisé, rien ne change. Assurez-vous que c’est bien ${name} qui le demande.`,
      sent: (email: string) => `Un lien est en route vers ${email}.`,
    },
    secondFactor: 'Second facteur',
    secondFactorMeaning:
      'Une personne qui a perdu tous ses seconds facteurs et codes de secours reçoit un lien par e-mail. Avec lui et le mot de passe, elle en configure un nouveau.',
    sendFactorLink: 'Envoyer un lien pour le remplacer',
    factorLinkSent: (email) => `Un lien est en route vers ${email}.`,
    noFactor: 'Cette personne n’a pas de second facteur à remplacer, ou ne peut pas se connecter.',
    askFactorLink: (name) =>
      `Assurez-vous que c’est bien ${name} qui le demande. ${name} sera aussitôt déconnecté partout.`,
    issuer: {
      title: 'Fournisseur d’identité',
      issuer: 'Fournisseur',
      subject: 'Subject (sub)',
      subjectHint:
        'Le nom que le fournisseur donne à la personne pour cette banque, à la lettre. Jamais une adresse e-mail devinée.',
      since: 'Associé',
      link: 'Associer',
      unlink: 'Supprimer l’association',
      linked: 'La personne est associée.',
      unlinked: 'L’association est supprimée.',
      taken: 'Ce sujet appartient à une autre personne, ou la personne est déjà associée.',
      unfit: 'Ce ne sont pas 1 à 255 lettres, chiffres et signes ASCII.',
      meaning: (issuer) =>
        `Cette personne se connecte avec un mot de passe de cette banque. Une fois associée, une connexion chez ${issuer} sous ce sujet ouvre la banque en son nom.`,
      askLink: (name) =>
        `Assurez-vous que ce sujet est ${name}\u00a0: qui se connecte ainsi agit comme ${name}. ${name} sera aussitôt déconnecté partout.`,
      askUnlink: (name) =>
        `${name} sera aussitôt déconnecté partout et se connectera avec un mot de passe de cette banque.`,
    },
    login: 'Connexion',
    disable: 'Désactiver la connexion',
    enable: 'Activer la connexion',
    disabled: 'La connexion est désactivée. La personne est déconnectée partout.',
    enabled: 'La connexion est activée.',
    activeMeaning: 'La personne peut se connecter.',
    knownKeys: 'Clés de comptes de service',
    noKnownKeys: 'Aucune clé encore valable n’a été montrée à cette personne.',
    knownKeysMeaning:
      'Ces clés ont été montrées à cette personne, et elles sont encore valables. Renouvelez chacune\u00a0: créez une seconde clé (Programmes), donnez-la à son programme, puis révoquez l’ancienne.',
    disabledMeaning: 'La personne ne peut pas se connecter. Les comptes et leur argent restent.',
    ask: (name, isActive) =>
      isActive
        ? `${name} sera aussitôt déconnecté partout et ne pourra plus se connecter.`
        : `${name} pourra de nouveau se connecter.`,
  },
}
