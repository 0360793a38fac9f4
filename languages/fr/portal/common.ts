// The texts in French that every page may show.
import type { texts as english } from '../../en/portal/common.ts'
import { plural } from '../plural.ts'

export const texts: typeof english = {
  common: {
    colon: '\u00a0: ',
    loading: 'Chargement',
    again: 'Réessayer',
    broken: 'Cette page n’a pas pu être affichée.',
    tryIn: (seconds) => `Vous pouvez réessayer dans ${plural(seconds, 'seconde', 'secondes')}.`,
    requestId: (id) => `Si vous interrogez la banque à ce sujet, indiquez la demande ${id}.`,
    copy: 'Copier',
    copied: 'Copié',
    copyName: (name) => `Copier ${name}`,
    filter: 'Filtrer',
    applyFilters: 'Appliquer',
    clearFilters: 'Effacer les filtres',
    more: 'Afficher plus',
    save: 'Enregistrer',
    cancel: 'Annuler',
    close: 'Fermer',
    back: 'Retour',
    print: 'Imprimer',
    none: 'Aucun',
    yes: 'Oui',
    no: 'Non',
    timesIn: (zone) => `Les heures sont celles de ${zone}.`,
    skip: 'Aller au contenu',
    menu: 'Menu principal',
    account: 'Votre profil',
    unnamedAccount: (currency) => `Compte en ${currency}`,
    accountStatuses: { active: 'Actif', frozen: 'Bloqué', closed: 'Clôturé' },
  },
  nav: {
    home: 'Comptes',
    transfer: 'Payer',
    orders: 'Ordres',
    beneficiaries: 'Bénéficiaires',
    cards: 'Cartes',
    statements: 'Relevés',
    search: 'Recherche',
    clearing: 'Compensation',
    users: 'Personnes',
    audit: 'Journal d’audit',
    approvals: 'Approbations',
    today: 'Ce jour',
    programs: 'Programmes',
    profile: 'Profil',
    security: 'Sécurité',
    preferences: 'Préférences',
    signOut: 'Se déconnecter',
    more: 'Plus',
  },
  form: {
    badText:
      "Seuls les lettres, chiffres, espaces et /\u00a0?\u00a0: ( ) . , ' + & # · - sont acceptés.",
    badSign: (sign) => `Le signe ${sign} n’est pas accepté.`,
    badAmount: (example) => `Veuillez saisir un montant, par exemple ${example}.`,
    zeroAmount: (example) => `Veuillez saisir un montant supérieur à zéro, par exemple ${example}.`,
    manyDigits: (currency, most, example) =>
      most === 0
        ? `${currency}\u00a0: un nombre entier, tel ${example}.`
        : `${currency} a au plus ${most} chiffres après la virgule, par exemple ${example}.`,
    signedAmount: 'Le montant est sans signe.',
    longAmount: 'Ce montant est trop long.',
    unclearAmount: (typed, example, plain) =>
      `«\u00a0${typed}\u00a0» peut se lire de plusieurs façons. Écrivez-le comme ${example} ou ${plain}.`,
    summary: (count) => `Veuillez corriger ${plural(count, 'champ', 'champs')}\u00a0:`,
    notAccepted: 'Cela n’a pas été accepté.',
    required: 'Veuillez remplir ce champ.',
    cut: (most) => `Le texte a été coupé après ${most} caractères.`,
    checking: 'La réponse s’est perdue. Nous cherchons ce qui s’est passé.',
    unknown:
      'La réponse s’est perdue\u00a0; nous ne savons pas si cela a pris effet. Veuillez vérifier avant de recommencer.',
    noPayee: 'Aucun compte de cette banque n’a l’IBAN du bénéficiaire.',
  },
  errors: {
    offline: 'La banque est injoignable. Veuillez vérifier votre connexion.',
    account_closed: 'Ce compte est clôturé.',
    account_frozen:
      'Ce compte est bloqué. Aucun argent ne peut en sortir et rien ne peut y être modifié.',
    account_not_empty:
      'Un compte avec un solde, un montant réservé ou un paiement en cours ne peut pas être clôturé.',
    already_exists: 'Cela existe déjà.',
    already_reversed: 'Ce virement a déjà été annulé.',
    archived: 'Ceci se trouve dans une archive.',
    signature_required: 'Deux personnes doivent signer ce montant. Envoyez-le pour signature.',
    beneficiary_cooling:
      'Vous vous êtes connecté sans votre second facteur. Un bénéficiaire ajouté depuis peut être payé 24 heures plus tard.',
    approval_pending:
      'Cela attend maintenant l’approbation d’une seconde personne de la banque. Rien n’a encore changé.',
    beneficiary_inactive: 'Ce bénéficiaire est désactivé. Réactivez-le avant de payer.',
    card_cancelled: 'Cette carte est résiliée définitivement.',
    confirmation_required: 'Cela doit être confirmé avec votre second facteur.',
    factor_enrolment_required: 'Configurez d’abord un second facteur.',
    link_refused: 'Ce lien a déjà servi, est trop ancien, ou un lien plus récent a été envoyé.',
    passkey_failed:
      'Aucune clé d’accès n’a été utilisée, ou elle n’est pas connue ici. Réessayez, ou choisissez un autre moyen.',
    second_factor_required: 'Veuillez vous connecter avec votre second facteur.',
    unconfirmed: 'Cela n’a pas été confirmé\u00a0; rien n’a donc changé.',
    currency_mismatch: 'Les devises ne correspondent pas.',
    credits_blocked: 'Le compte n’accepte pas d’argent pour le moment.',
    debits_blocked:
      'La banque a posé une restriction sur ce compte. Aucun argent ne peut en sortir pour le moment.',
    duplicate_transfer: 'Le même virement a été fait il y a un instant.',
    forbidden: 'Vous n’êtes pas autorisé à faire cela.',
    idempotency_key_reused:
      'Ce virement a déjà été envoyé avec un autre contenu. Veuillez recommencer.',
    illegal_transition: 'Ce n’est pas possible dans l’état actuel. Veuillez recharger la page.',
    insufficient_funds: 'Il n’y a pas assez d’argent sur le compte.',
    internal_error: 'Une erreur s’est produite à la banque. Veuillez réessayer plus tard.',
    invalid_credentials: 'Le nom d’utilisateur ou le mot de passe n’est pas exact.',
    issuer_refused:
      'La connexion chez le fournisseur d’identité n’ouvre rien ici. Réessayez, ou demandez à l’administration si vous êtes associé.',
    issuer_unavailable:
      'Le fournisseur d’identité ne répond pas en ce moment. Veuillez vous connecter plus tard.',
    invalid_request: 'Une partie du formulaire n’a pas été acceptée.',
    limit_exceeded: 'Cela dépasserait une limite.',
    not_found: 'Cela n’existe pas ou n’existe plus.',
    outcome_unknown: 'Le résultat n’est pas encore connu.',
    payee_check_required:
      'Le nom du bénéficiaire doit être comparé à nouveau\u00a0: cela vaut 15 minutes. Veuillez recommencer.',
    payee_not_accepted:
      'Le nom du bénéficiaire ne correspond pas. Veuillez recommencer, et ne continuez que si vous êtes sûr.',
    rate_limited: 'Trop de demandes en peu de temps.',
    request_in_progress: 'C’est déjà en cours de traitement.',
    session_expired: 'Votre session est terminée.',
    session_revoked: 'Il a été mis fin à votre session.',
    unauthenticated: 'Veuillez vous connecter.',
    unavailable: 'La banque est très sollicitée en ce moment.',
  },
  rename: {
    action: 'Renommer',
    name: 'Nouveau nom',
    hint: 'Vous seul le voyez. Laissez vide pour aucun.',
    done: 'Le nouveau nom est enregistré.',
  },
  limits: {
    perPayment: (most) => `Un paiement peut être de ${most} au plus.`,
    dailyTransfers: (most, left, until) =>
      `La limite quotidienne est de ${most}. Il en reste ${left} jusqu’au ${until}.`,
    openAccounts: (most) => `${most} comptes ouverts au plus. Fermez-en un d’abord.`,
    cards: (most) => `${most} cartes au plus. Résiliez-en une d’abord.`,
    orders: (most) => `Un compte peut avoir ${most} ordres. Résiliez-en un d’abord.`,
    drafts: (most) => `Un compte peut avoir ${most} paiements à signer.`,
    paymentLists: (most) =>
      `Un compte peut avoir ${most} listes de paiements non payées. Annulez-en une d’abord.`,
    secondFactors: (most) => `${most} seconds facteurs au plus. Supprimez-en un d’abord.`,
    activeHolds: (most) => `${most} réservations actives au plus. Libérez-en une d’abord.`,
    members: (most) => `Un compte peut avoir ${most} membres.`,
  },
  todo: {
    title: 'À votre attention',
    factor: (day) => `Configurez un second facteur avant le ${day}.`,
    approvals: (count) =>
      `${plural(count, 'demande attend', 'demandes attendent')} votre approbation.`,
    refused: (count) =>
      `${plural(count, 'de vos demandes a été refusée', 'de vos demandes ont été refusées')}.`,
  },
  idle: {
    title: 'Êtes-vous toujours là\u00a0?',
    text: (seconds) =>
      `Pour votre sécurité, vous serez déconnecté dans ${plural(seconds, 'seconde', 'secondes')}.`,
    stay: 'Rester connecté',
    leave: 'Se déconnecter maintenant',
  },
  missing: {
    title: 'Cette page n’existe pas',
    text: 'L’adresse n’est pas celle d’une page de cette banque, ou vous n’êtes pas autorisé à la voir.',
    toHome: 'Vers la page d’accueil',
  },
  device: {
    unknown: 'Appareil inconnu',
    started: 'Connexion',
    lastUsed: 'Dernière utilisation',
    current: 'Cet appareil',
  },
}
