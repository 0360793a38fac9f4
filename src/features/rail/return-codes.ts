// Why a payment comes back: codes of ISO 20022 ExternalReturnReason1Code, as SEPA schemes
// (EPC115-06) and others use them.
export const returnReasons = [
  'AC01', // incorrect account number
  'AC03', // invalid creditor account number
  'AC04', // closed account number
  'AC06', // blocked account
  'AC13', // invalid debtor account type
  'AC14', // invalid agent
  'AC15', // account details changed
  'AC16', // account in sequestration
  'AC17', // account in liquidation
  'AG01', // transaction forbidden
  'AG02', // invalid bank operation code
  'AM01', // zero amount
  'AM02', // not allowed amount
  'AM03', // not allowed currency
  'AM04', // insufficient funds
  'AM05', // duplication
  'AM06', // too low amount
  'AM07', // blocked amount
  'AM09', // wrong amount
  'AM10', // invalid control sum
  'ARDT', // already returned
  'BE01', // inconsistent with end customer
  'BE04', // missing creditor address
  'BE05', // unrecognised initiating party
  'BE06', // unknown end customer
  'BE07', // missing debtor address
  'BE08', // bank error
  'CNOR', // creditor bank is not registered
  'CURR', // incorrect currency
  'CUST', // requested by the customer
  'DNOR', // debtor bank is not registered
  'DT01', // invalid date
  'DUPL', // duplicate payment
  'ED01', // correspondent bank not possible
  'ED03', // balance information requested
  'ED05', // settlement failed
  'EMVL', // EMV liability shift
  'ERIN', // the scheme does not support the extended remittance
  'FF05', // direct debit type incorrect
  'FOCR', // following a cancellation request
  'FR01', // fraud
  'FRTR', // final response
  'MD01', // no mandate
  'MD02', // missing mandatory information
  'MD05', // collection not due
  'MD06', // refund requested by the end customer
  'MD07', // end customer deceased
  'MS02', // not specified, by the customer
  'MS03', // not specified, by the agent
  'NARR', // as narrated
  'NOAS', // no answer from the customer
  'NOCM', // the customer's account is not compliant
  'NOOR', // no original transaction received
  'PINL', // PIN liability shift
  'RC01', // incorrect bank identifier
  'RC07', // invalid creditor BIC
  'RF01', // transaction reference is not unique
  'RR01', // regulatory: missing debtor account
  'RR02', // regulatory: missing debtor name or address
  'RR03', // regulatory: missing creditor name or address
  'RR04', // regulatory reason
  'RUTA', // return upon an unable-to-apply
  'SL01', // specific service of the debtor's bank
  'SL02', // specific service of the creditor's bank
  'SP01', // payment stopped
  'SP02', // previously stopped
  'SVNR', // service not rendered
  'TECH', // technical problem
  'TM01', // invalid cut-off time
  'TRAC', // removed from tracking
  'UPAY', // undue payment
] as const
